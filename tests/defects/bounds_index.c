// property: valid-deref
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a[4] = { 1, 2, 3, 4 };
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 4) return 0; // defect
  if (n < 0 || n > 3) return 0; // repaired
  return a[n];
}
