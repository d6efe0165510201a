extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((alloc_size(1)))
#else
#define THING
#endif
void *malloc(unsigned long);
THING void *fresh(unsigned long n);
void *fresh(unsigned long n) { return malloc(n); }
int main(void) {
  int *p = fresh(sizeof *p);
  int *q = fresh(sizeof *q);
  if (!p || !q) return 0;
  *p = 1;
  *q = 2;
  if (*p + *q != 3) reach_error();
  printf("%d %d\n", *p, *q);
  return 0;
}
