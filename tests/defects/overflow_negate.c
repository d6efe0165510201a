// property: no-overflow
extern int __VERIFIER_nondet_int(void);
static int magnitude(int n) {
  return n < 0 ? -n : n;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < -2147483647) return 0; // repaired
  return magnitude(n) > 3;
}
