// property: valid-deref
// file: main.c
#include "box.h"
extern int __VERIFIER_nondet_int(void);
int main(void) {
  struct box box;
  box_init(&box, __VERIFIER_nondet_int());
  return *box.value == 3;
}
// file: box.c
#include "box.h"
static int zero;
void box_init(struct box *box, int flag) {
  box->flag = flag;
  box->value = &zero; // repaired
}
// file: box.h
struct box { int flag; int *value; };
void box_init(struct box *box, int flag);
