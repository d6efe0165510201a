// property: valid-deref
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);
int main(void) {
  int *p = malloc(sizeof(int));
  *p = 1;
  free(p); // defect
  *p = 2;
  free(p); // repaired
  return 0;
}
