// property: valid-deref
extern int __VERIFIER_nondet_int(void);
static int *shared;
static void publish(void) {
  int value = 3;
  shared = &value;
}
static int kept;
int main(void) {
  publish();
  shared = &kept; // repaired
  return *shared;
}
