// property: valid-memtrack
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int length = __VERIFIER_nondet_int();
  if (length < 0 || length > 6) return 0;
  char *text = malloc(4);
  text = realloc(text, length);
  if (length > 1) free(text); // defect
  if (length > 0) free(text); // repaired
  return 0;
}
