// property: no-overflow
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n == 2147483647) return 0; // repaired
  return n + 1 > 0;
}
