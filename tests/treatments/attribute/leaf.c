extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((leaf))
#else
#define THING
#endif
THING int abs(int);
int main(void) {
  int x = abs(-3) + abs(4);
  if (x != 7) reach_error();
  printf("%d\n", x);
  return 0;
}
