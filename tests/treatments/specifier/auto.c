extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING auto
#else
#define THING
#endif
int counter;
static int step(void) { return ++counter; }
int main(void) {
  counter = 2;
  THING int *p = &counter;
  int sum = step() + step();
  if (sum != 7 || *p != 4) reach_error();
  printf("%d %d\n", sum, *p);
  return 0;
}
