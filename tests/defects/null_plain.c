// property: valid-deref
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = 1, *p = 0;
  int n = __VERIFIER_nondet_int();
  if (n > 2) p = &x;
  if (!p) return 0; // repaired
  return *p;
}
