extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((pure))
#else
#define THING
#endif
THING int square(int x);
int square(int x) { return x * x; }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 4; i++) sum += square(i) + square(i);
  if (sum != 28) reach_error();
  printf("%d\n", sum);
  return 0;
}
