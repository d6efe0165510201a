extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((warning("no")))
#else
#define THING
#endif
THING int never(int x);
int always(int x) { return x + 1; }
int main(void) {
  int y = always(4);
  if (y != 5) reach_error();
  printf("%d\n", y);
  return 0;
}
