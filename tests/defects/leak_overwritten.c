// property: valid-memtrack
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

static void twice(int n) {
  char *p = malloc(4);
  if (n > 0) {
    free(p); // repaired
    p = malloc(8);
  }
  free(p);
}
int main(void) {
  twice(__VERIFIER_nondet_int());
  return 0;
}
