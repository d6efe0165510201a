// property: shift
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 32) return 0; // defect
  if (n < 0 || n > 31) return 0; // repaired
  return (1u << n) > 5;
}
