// property: valid-deref
extern int __VERIFIER_nondet_int(void);
static int storage;
static int *current = &storage;
static void drop(void) { current = 0; }
int main(void) {
  if (__VERIFIER_nondet_int() == 1) drop();
  if (current) // repaired
  *current = 4;
  return 0;
}
