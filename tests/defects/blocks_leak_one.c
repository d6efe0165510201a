// property: valid-memtrack
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

struct node {
  struct node *next;
  int value;
};
static struct node *push(struct node *list, int value) {
  struct node *made = malloc(sizeof *made);
  made->next = list;
  made->value = value;
  return made;
}
int main(void) {
  struct node *list = 0, *next;
  for (int i = 0; i < 3; i++) list = push(list, __VERIFIER_nondet_int());
  while (list) {
    next = list->next;
    if (next && next->value == 7) {
      struct node *skipped = next;
      next = next->next;
      free(skipped); // repaired
    }
    free(list);
    list = next;
  }
  return 0;
}
