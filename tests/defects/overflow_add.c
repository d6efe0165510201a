// property: no-overflow
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n == 2147483647) return 0; // repaired
  int m = n + 1;
  return m == 3;
}
