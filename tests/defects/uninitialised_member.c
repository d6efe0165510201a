// property: valid-deref
extern int __VERIFIER_nondet_int(void);
struct pair { int *first, *second; };
int main(void) {
  int a = 1;
  struct pair p;
  p.first = &a;
  p.second = &a; // repaired
  return *p.first + *p.second;
}
