// property: valid-memtrack
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

static int two(int n) {
  char *a = malloc(4);
  char *b = malloc(4);
  if (n == 7) {
    free(b); // repaired
    free(a);
    return 1;
  }
  free(b);
  free(a);
  return 0;
}
int main(void) {
  return two(__VERIFIER_nondet_int());
}
