// property: valid-deref
#include <string.h>
extern int __VERIFIER_nondet_int(void);
static char one[6], two[6];
static unsigned long set(char *name, const char *text) {
  if (strlen(text) > sizeof one)    // defect
  if (strlen(text) >= sizeof one)   // repaired
    return 0;
  return strlen(strcpy(name, text));
}
int main(void) {
  char text[8] = "abcdef";
  int n = __VERIFIER_nondet_int();
  if (n > 0 && n < 6)
    text[n] = 0;
  return (int)(set(one, "ab") + set(two, text));
}
