// property: shift
// file: main.c
#include "field.h"
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int at = __VERIFIER_nondet_int();
  if (at < 0 || at > 3)
    return 0;
  return field(0x7fu, at) == 3;
}
// file: field.c
#include "field.h"
unsigned field(unsigned word, int at) { return word >> (at * WIDTH); }
// file: field.h
#define WIDTH 12 // defect
#define WIDTH 8  // repaired
unsigned field(unsigned word, int at);
