// property: valid-memtrack
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { int value; struct node *next; };
static struct node *first;
static void push(int value) {
  struct node *made = malloc(sizeof *made);
  made->value = value;
  made->next = first; // repaired
  made->next = value == 2 ? 0 : first; // defect
  first = made;
}
int main(void) {
  push(1);
  push(__VERIFIER_nondet_int());
  return 0;
}
