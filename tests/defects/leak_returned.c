// property: valid-memtrack
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

static char *copy(void) { return malloc(5); }
static int used(void) {
  char *p = copy();
  int r = p != 0;
  free(p); // repaired
  return r;
}
int main(void) {
  return !used();
}
