// property: valid-deref
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int length = __VERIFIER_nondet_int();
  if (length < 0 || length > 6) return 0;
  char *text = malloc(4);
  char *larger = realloc(text, length);
  if (length == 0) larger = text; // defect
  if (length == 0) larger = malloc(1); // repaired
  larger[0] = 1;
  free(larger); // repaired
  return 0;
}
