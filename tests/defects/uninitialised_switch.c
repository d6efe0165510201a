// property: valid-deref
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = 3;
  int *p;
  switch (__VERIFIER_nondet_int()) {
  case 1: p = &x; break;
  case 2: p = &x; break;
  default: p = &x; break; // repaired
  }
  return *p;
}
