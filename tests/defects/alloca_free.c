// property: valid-free
#include <alloca.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int length = __VERIFIER_nondet_int();
  if (length < 1 || length > 2000) return 0;
  int is_small = length < 64;
  char *text = is_small ? alloca(length) : malloc(length);
  text[0] = 1;
  if (!is_small) // repaired
    free(text);
  return 0;
}
