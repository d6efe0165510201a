extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((fallthrough));
#else
#define THING
#endif
static int weight(int x) {
  int sum = 0;
  switch (x) {
  case 1:
    sum += 1;
    THING
  case 2:
    sum += 2;
    break;
  default:
    sum = 9;
  }
  return sum;
}
int main(void) {
  if (weight(1) != 3 || weight(2) != 2 || weight(3) != 9) reach_error();
  printf("%d%d%d\n", weight(1), weight(2), weight(3));
  return 0;
}
