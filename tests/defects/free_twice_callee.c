// property: valid-free
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

static void release(char *p) { free(p); }
int main(void) {
  char *p = malloc(8);
  release(p);
  free(p); // defect
  return 0;
}
