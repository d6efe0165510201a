// property: valid-deref
// file: main.c
extern int __VERIFIER_nondet_int(void);
int *counter(int start);
int main(void) {
  int *p = counter(__VERIFIER_nondet_int());
  return *p == 3;
}
// file: counter.c
int *counter(int start) {
  static // repaired
  int count; count = start;
  int *p = &count;
  return p;
}
