// property: valid-deref
extern int __VERIFIER_nondet_int(void);
static int lookup(int key, int **out) {
  static int value = 9;
  if (key < 0) return -1;
  *out = &value;
  return 0;
}
int main(void) {
  int *found;
  int failed = lookup(__VERIFIER_nondet_int(), &found);
  if (failed) return 0; // repaired
  return *found + failed;
}
