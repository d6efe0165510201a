// property: valid-memtrack
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static char *names[3];
int main(void) {
  int at = __VERIFIER_nondet_int();
  if (at < 0 || at > 2) return 0;
  names[0] = malloc(1);
  at = at ? at : 2; // repaired
  names[at] = malloc(2);
  return 0;
}
