// property: valid-deref
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = 1, *p;
  p = &x; // repaired
  if (__VERIFIER_nondet_int() > 3) p = &x;
  return *p;
}
