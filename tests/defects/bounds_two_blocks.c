// property: valid-deref
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int sum(const int *values, int count) {
  int total = 0;
  for (int i = 0; i < count; i++)
    total += values[i];
  return total;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  int *few = calloc(3, sizeof *few), *many = calloc(5, sizeof *many);
  if (!few || !many)
    abort();
  many[n & 3] = n;
  int total = sum(many, n == 2 ? 6 : 5) + sum(few, 3);   // defect
  int total = sum(many, n == 2 ? 4 : 5) + sum(few, 3);   // repaired
  free(few);
  free(many);
  return total;
}
