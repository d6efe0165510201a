// property: div-zero
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a = __VERIFIER_nondet_int() & 255, b = __VERIFIER_nondet_int();
  int r = b > 0 ? a / b : a / (b + 1); // defect
  int r = b > 0 ? a / b : a / (b == 0 ? 1 : b); // repaired
  return r > 0;
}
