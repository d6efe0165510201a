// property: valid-deref
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int m[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 2) return 0; // defect
  if (n < 0 || n > 1) return 0; // repaired
  return m[n][1];
}
