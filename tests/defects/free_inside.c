// property: valid-free
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

int main(void) {
  char *p = malloc(8);
  char *at = p;
  for (int i = 0; i < 3; i++) at++;
  free(at); // defect
  free(p); // repaired
  return 0;
}
