extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((uninitialized))
#else
#define THING
#endif
int main(void) {
  THING int x;
  int y = 1;
  x = y + 2;
  if (x != 3) reach_error();
  printf("%d\n", x);
  return 0;
}
