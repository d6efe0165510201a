// property: valid-deref
extern int __VERIFIER_nondet_int(void);
struct node { int value; struct node *next; };
static int second(struct node *list) {
  if (!list->next) return 0; // repaired
  return list->next->value;
}
int main(void) {
  struct node b = { 2, 0 }, a = { 1, &b };
  int n = __VERIFIER_nondet_int();
  return second(n > 0 ? &a : &b);
}
