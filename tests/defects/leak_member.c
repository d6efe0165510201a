// property: valid-memtrack
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

struct box { char *content; };
static void make(int n) {
  struct box b;
  b.content = 0;
  if (n & 1) b.content = malloc(3);
  free(b.content); // repaired
}
int main(void) {
  make(__VERIFIER_nondet_int());
  return 0;
}
