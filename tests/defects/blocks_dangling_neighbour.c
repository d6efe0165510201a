// property: valid-deref
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

struct node {
  struct node *next;
  int value;
};
static struct node *make(struct node *next, int value) {
  struct node *made = malloc(sizeof *made);
  made->next = next;
  made->value = value;
  return made;
}
int main(void) {
  struct node *last = make(0, 3), *first = make(last, __VERIFIER_nondet_int());
  if (first->value > 5) {
    free(last);
    first->next = 0; // repaired
  }
  int sum = first->value;
  if (first->next) sum += first->next->value;
  return sum == 1;
}
