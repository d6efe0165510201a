extern void reach_error(void);
int printf(const char *, ...);
static int cells[8];
int main(void) {
  int sum = 0;
#ifdef MODIFIED
#pragma GCC unroll 4
#endif
  for (int i = 0; i < 8; i++) cells[i] = i * i;
  for (int i = 0; i < 8; i++) sum += cells[i];
  if (sum != 140) reach_error();
  printf("%d\n", sum);
  return 0;
}
