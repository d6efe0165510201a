// property: valid-memtrack
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static char *buffer;
int main(void) {
  int size = __VERIFIER_nondet_int();
  if (size < 1 || size > 8) return 0;
  buffer = malloc(size);
  if (size == 5) buffer = malloc(9); // defect
  buffer[0] = 1;
  return 0;
}
