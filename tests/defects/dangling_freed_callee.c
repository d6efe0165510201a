// property: valid-deref
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);
struct box { int *content; };
static void clear(struct box *b) {
  free(b->content);
  b->content = 0; // repaired
}
int main(void) {
  struct box b;
  b.content = malloc(4);
  *b.content = 1;
  if (__VERIFIER_nondet_int() > 0) clear(&b);
  if (b.content) *b.content = 2;
  return 0;
}
