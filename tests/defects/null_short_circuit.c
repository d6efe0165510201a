// property: valid-deref
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = 5;
  int *p = __VERIFIER_nondet_int() > 0 ? &x : 0;
  if (p || *p > 3) return 1; // defect
  if (p && *p > 3) return 1; // repaired
  return 0;
}
