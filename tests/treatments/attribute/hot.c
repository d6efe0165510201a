extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((hot))
#else
#define THING
#endif
static int calls;
THING int twice(int x);
THING int twice(int x) {
  calls++;
  return x > 3 ? 2 * x : x + x;
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 5; i++) sum += twice(i);
  if (sum != 20 || calls != 5) reach_error();
  printf("%d %d\n", sum, calls);
  return 0;
}
