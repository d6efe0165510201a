// property: valid-memtrack
// file: main.c
extern int __VERIFIER_nondet_int(void);
void set(int size);
void clear(void);
int main(void) {
  set(2);
  if (__VERIFIER_nondet_int() > 3)
    set(3);
  clear();
  return 0;
}
// file: set.c
void *malloc(unsigned long);
void free(void *);
static char *current;
void set(int size) {
  free(current); // repaired
  current = malloc((unsigned long)size);
}
void clear(void) {
  free(current);
  current = 0;
}
