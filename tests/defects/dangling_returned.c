// property: valid-deref
extern int __VERIFIER_nondet_int(void);
static int *make(int value) {
  static // repaired
  int local; local = value;
  int *p = &local;
  return p;
}
int main(void) {
  int *p = make(__VERIFIER_nondet_int());
  return *p;
}
