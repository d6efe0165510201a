extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((designated_init))
#else
#define THING
#endif
struct s {
  char c;
  int i;
  short b : 3, d : 9;
} THING;
int main(void) {
  struct s x = {.c = 1, .i = 2, .b = 3, .d = 4};
  if (sizeof(struct s) != 12 || (char *)&x.i - (char *)&x != 4 || x.d + x.b + x.i != 9) reach_error();
  printf("%d %d\n", (int)sizeof(struct s), x.d);
  return 0;
}
