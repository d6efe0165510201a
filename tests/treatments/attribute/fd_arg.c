extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((fd_arg(1)))
#else
#define THING
#endif
static int cells[4];
THING int *cell(int n, int *from);
int *cell(int n, int *from) {
  from[n] = n + 1;
  return &from[n];
}
int main(void) {
  int *p = cell(2, cells);
  if (*p != 3 || cells[2] != 3 || cells[1] != 0) reach_error();
  printf("%d %d\n", *p, cells[2]);
  return 0;
}
