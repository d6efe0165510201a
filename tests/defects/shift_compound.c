// property: shift
extern int __VERIFIER_nondet_int(void);
int main(void) {
  long word = 1;
  int n = __VERIFIER_nondet_int();
  n &= 63; // defect
  n &= 31; // repaired
  word <<= n;
  return word == 4;
}
