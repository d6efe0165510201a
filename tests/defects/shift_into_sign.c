// property: shift
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int() & 31; // defect
  int n = __VERIFIER_nondet_int() & 15; // repaired
  int bit = 1 << n;
  return bit == 8;
}
