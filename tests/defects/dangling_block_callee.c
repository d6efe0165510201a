// property: valid-deref
extern int __VERIFIER_nondet_int(void);
static int read(const int *p) { return *p; }
int main(void) {
  const int *p;
  int n = __VERIFIER_nondet_int();
  static int fallback = 1;
  if (n > 0) {
    int inner = n;
    p = &inner;
    if (n > 5) return read(p);
    p = &fallback; // repaired
  } else
    p = &fallback;
  return read(p);
}
