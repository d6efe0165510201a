// property: no-overflow
// file: main.c
#include "limit.h"
extern int __VERIFIER_nondet_int(void);
int scale(int value);
int main(void) {
  int value = __VERIFIER_nondet_int();
  if (value < 0 || value > LIMIT)
    return 0;
  return scale(value) == 7;
}
// file: scale.c
int scale(int value) { return value * value; }
// file: limit.h
#define LIMIT 50000 // defect
#define LIMIT 46340 // repaired
