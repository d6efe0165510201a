// property: valid-deref
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

static char *buffer(unsigned long size) {
  char *made = malloc(size);
  for (unsigned long i = 0; i < size; i++) made[i] = 0;
  return made;
}
int main(void) {
  char *large = buffer(4), *small = buffer(2);
  int at = __VERIFIER_nondet_int();
  if (at < 0 || at > 3) return 0;
  large[at] = 1;
  if (at < 2) // repaired
    small[at] = 1;
  free(small);
  free(large);
  return 0;
}
