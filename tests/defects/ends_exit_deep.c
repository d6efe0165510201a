// property: valid-memtrack
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void fail(int code) {
  if (code > 0) exit(0);
}
static void inner(char *given, int code) {
  char *own = malloc(2);
  own[0] = given[0];
  given = 0;
  free(own); // repaired
  own = 0;
  fail(code);
}
int main(void) {
  int code = __VERIFIER_nondet_int();
  if (code < 0 || code > 9) return 0;
  char *text = malloc(3);
  text[0] = 1;
  inner(text, code);
  free(text);
  return 0;
}
