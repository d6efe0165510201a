// property: shift
extern int __VERIFIER_nondet_int(void);
static unsigned long mask(int bits) {
  return ~0UL >> (64 - bits);
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 64) return 0; // defect
  if (n < 1 || n > 64) return 0; // repaired
  return mask(n) == 1;
}
