// property: valid-memtrack
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int length = __VERIFIER_nondet_int();
  char *text = 0;
  if (length > 3) text = malloc(2);
  text = realloc(text, 0);
  free(text); // repaired
  return 0;
}
