// property: div-zero
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a = __VERIFIER_nondet_int() & 255, b = __VERIFIER_nondet_int();
  if (b != 0 || a / b > 1) return 1; // defect
  if (b == 0 || a / b > 1) return 1; // repaired
  return 0;
}
