// property: valid-free
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

int main(void) {
  char local[4], *p = malloc(4);
  char *q = p;
  if (__VERIFIER_nondet_int() > 0) p = local;
  free(p); // defect
  free(q); // repaired
  return 0;
}
