// property: valid-deref
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

static int *make(int value) {
  int *made = malloc(sizeof *made);
  *made = value;
  return made;
}
int main(void) {
  int *old = make(1), *new;
  if (__VERIFIER_nondet_int() == 7) {
    free(old);
    new = make(2);
    old = new; // repaired
    *old = 3;
  } else {
    new = old;
  }
  free(new);
  return 0;
}
