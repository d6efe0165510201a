// property: valid-free
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

int main(void) {
  char *p = malloc(8);
  free(p);
  p = 0; // repaired
  if (__VERIFIER_nondet_int() > 0) free(p);
  return 0;
}
