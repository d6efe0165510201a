// property: valid-deref
extern int __VERIFIER_nondet_int(void);
static int *kept;
static int visit(int x) {
  int here = x, before = 0;
  if (kept)
    before = *kept;
  kept = &here;
  kept = 0; // repaired
  return before;
}
int main(void) {
  visit(1);
  if (__VERIFIER_nondet_int() == 7)
    visit(2);
  return 0;
}
