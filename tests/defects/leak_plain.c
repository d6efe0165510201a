// property: valid-memtrack
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

static void work(void) {
  char *p = malloc(8);
  p[0] = 1;
  free(p); // repaired
}
int main(void) {
  work();
  return 0;
}
