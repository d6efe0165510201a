// property: div-zero
extern int __VERIFIER_nondet_int(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_int();
  unsigned buckets = n & 7;     // defect
  unsigned buckets = (n & 7) + 1; // repaired
  return n % buckets;
}
