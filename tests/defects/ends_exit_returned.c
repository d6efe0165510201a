// property: valid-memtrack
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void work(int value) {
  int *cell = malloc(sizeof *cell);
  *cell = value;
  if (*cell < 5) // defect
  free(cell);
}
static void stop(void) {
  exit(0);
}
int main(void) {
  int value = __VERIFIER_nondet_int();
  work(value);
  if (value > 2) stop();
  return 0;
}
