// property: valid-free
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void release(int *numbers, int *fixed) {
  if (numbers != fixed) // repaired
    free(numbers);
}
int main(void) {
  int length = __VERIFIER_nondet_int();
  if (length < 1 || length > 9) return 0;
  int fixed[length];
  int *numbers = length > 4 ? malloc(length * sizeof(int)) : fixed;
  release(numbers, fixed);
  return 0;
}
