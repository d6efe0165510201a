// property: valid-free
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int length = __VERIFIER_nondet_int();
  if (length < 0 || length > 6) return 0;
  char *text = malloc(4);
  char *moved = realloc(text, length);
  if (moved == 0) free(text); // defect
  free(moved);
  return 0;
}
