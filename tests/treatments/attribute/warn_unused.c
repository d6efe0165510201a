extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((warn_unused))
#else
#define THING
#endif
struct THING pair { int a, b; };
int main(void) {
  struct pair one = {1, 2}, other = one;
  other.a = 3;
  if (one.a != 1 || other.b != 2 || sizeof one != 8) reach_error();
  printf("%d %d\n", one.a, other.a);
  return 0;
}
