// property: valid-memtrack
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void leave(int value) {
  char *text = malloc(4);
  text[0] = 1;
  if (value == 4) text = malloc(2); // defect
  if (value > 3) exit(0);
  free(text);
}
int main(void) {
  leave(__VERIFIER_nondet_int());
  return 0;
}
