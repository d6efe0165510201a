// property: valid-free
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

static char *make(unsigned long size) { return malloc(size); }
int main(void) {
  char *old = make(4), *new = 0;
  if (__VERIFIER_nondet_int() == 7) {
    free(old);
    new = make(4);
    old = new; // repaired
  }
  free(old);
  return 0;
}
