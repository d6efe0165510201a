// property: valid-free
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);

struct owner { char *data; };
static void destroy(struct owner *o) {
  free(o->data);
  o->data = 0;
}
int main(void) {
  struct owner a, b;
  a.data = malloc(4);
  b = a;
  b.data = 0; // repaired
  destroy(&a);
  destroy(&b);
  return 0;
}
