// property: no-overflow
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int low = __VERIFIER_nondet_int(), high = __VERIFIER_nondet_int();
  if (low < 0 || high < low) return 0;
  int middle = (low + high) / 2;         // defect
  int middle = low + (high - low) / 2;   // repaired
  return middle > 4;
}
