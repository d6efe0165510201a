// property: valid-deref
extern int __VERIFIER_nondet_int(void);
static int *visit(int *before, int x) {
  static int last;
  int here = x + *before;
  int *found = &here;
  last = here;
  found = &last; // repaired
  return found;
}
int main(void) {
  int first = 1;
  int *found = visit(&first, __VERIFIER_nondet_int() & 7);
  visit(found, 2);
  return 0;
}
