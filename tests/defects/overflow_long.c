// property: no-overflow
extern int __VERIFIER_nondet_int(void);
int main(void) {
  long a = __VERIFIER_nondet_int();
  long b = a * 4294967296L;  // defect
  long b = a * 2147483648L;  // repaired
  b -= 9;
  return b > 7;
}
