// property: valid-deref
#include <alloca.h>
extern int __VERIFIER_nondet_int(void);
static int use(int length) {
  char *text = alloca(length);
  for (int i = 0; i < length; i++) text[i] = 2;
  return text[length]; // defect
  return text[length - 1]; // repaired
}
int main(void) {
  int length = __VERIFIER_nondet_int();
  if (length < 1 || length > 4) return 0;
  return use(length) + use(1) == 5;
}
