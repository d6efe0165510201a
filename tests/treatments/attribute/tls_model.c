extern void reach_error(void);
int printf(const char *, ...);
#ifdef MODIFIED
#define THING __attribute__((tls_model("initial-exec")))
#else
#define THING
#endif
THING __thread int counter;
static int step(void) { return ++counter; }
int main(void) {
  counter = 2;
  int *p = &counter;
  int sum = step() + step();
  if (sum != 7 || *p != 4) reach_error();
  printf("%d %d\n", sum, *p);
  return 0;
}
