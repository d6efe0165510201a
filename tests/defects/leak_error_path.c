// property: valid-memtrack
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

static int parse(int n) {
  char *buffer = malloc(16);
  if (n < 0) {
    free(buffer); // repaired
    return -1;
  }
  free(buffer);
  return 0;
}
int main(void) {
  return parse(__VERIFIER_nondet_int());
}
