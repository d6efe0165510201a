// property: valid-memtrack
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void check(int value) {
  if (value > 3) exit(0);
}
int main(void) {
  int value = __VERIFIER_nondet_int();
  char *text = malloc(4);
  text[0] = 1;
  if (value == 7) text = 0; // defect
  check(value);
  free(text);
  return 0;
}
