// property: valid-deref
extern int __VERIFIER_nondet_int(void);
struct item { int size; };
static int size_of(struct item *item) {
  int size = item->size; // defect
  if (!item) return -1;
  int size = item->size; // repaired
  return size;
}
int main(void) {
  struct item item = { 3 };
  return size_of(__VERIFIER_nondet_int() ? &item : 0);
}
