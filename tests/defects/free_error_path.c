// property: valid-free
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

static int use(char *p, int n) {
  if (n < 0) {
    free(p); // defect
    return -1;
  }
  return 0;
}
int main(void) {
  char *p = malloc(4);
  int failed = use(p, __VERIFIER_nondet_int());
  free(p);
  return failed;
}
