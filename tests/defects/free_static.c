// property: valid-free
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

static char storage[16];
static char *get(int n) { return n > 16 ? malloc(20) : storage; }
int main(void) {
  char *p = get(__VERIFIER_nondet_int());
  if (p != storage) // repaired
  free(p);
  return 0;
}
