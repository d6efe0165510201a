// property: valid-deref
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);
int main(void) {
  int n = __VERIFIER_nondet_int() & 3;
  char *p = malloc(3);
  p[n] = 1;           // defect
  p[n == 3 ? 2 : n] = 1; // repaired
  free(p);
  return 0;
}
