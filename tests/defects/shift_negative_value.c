// property: shift
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n > 1000) return 0;
  if (n < 0) return 0; // repaired
  return (n << 2) == 12;
}
