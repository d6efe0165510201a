// property: valid-deref
// file: main.c
extern int __VERIFIER_nondet_int(void);
struct node { int value; struct node *next; };
int last(const struct node *list);
int main(void) {
  struct node second = { 2, 0 }, first = { 1, __VERIFIER_nondet_int() ? &second : 0 };
  return last(&first) == 7;
}
// file: list.c
struct node { int value; struct node *next; };
int last(const struct node *list) {
  while (list->next->next) // defect
  while (list->next)       // repaired
    list = list->next;
  return list->value;
}
