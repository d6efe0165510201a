// property: valid-deref
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int *p = 0;
  int outer = 1; // repaired
  {
    int inner = 2;
    p = &inner;
    p = &outer; // repaired
  }
  return *p;
}
