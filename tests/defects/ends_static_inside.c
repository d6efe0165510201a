// property: valid-memtrack
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static char *cursor;
int main(void) {
  int step = __VERIFIER_nondet_int();
  if (step < 0 || step > 40) return 0;
  char *text = malloc(8);
  text[0] = 1;
  if (step > 7) { free(text); return 0; } // repaired
  cursor = step > 7 ? 0 : text + step;
  return 0;
}
