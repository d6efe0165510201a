extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#pragma GCC reset_options
#endif
int counter;
static int step(void) { return ++counter; }
int main(void) {
  counter = 2;
  int *p = &counter;
  int sum = step() + step();
  if (sum != 7 || *p != 4) reach_error();
  printf("%d %d\n", sum, *p);
  return 0;
}
