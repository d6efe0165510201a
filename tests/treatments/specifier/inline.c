extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING inline
#else
#define THING
#endif
int counter;
static THING int step(void) { return ++counter; }
int main(void) {
  counter = 2;
  int *p = &counter;
  int sum = step() + step();
  if (sum != 7 || *p != 4) reach_error();
  printf("%d %d\n", sum, *p);
  return 0;
}
