// property: div-zero
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int total = 0;
  for (int i = 5; i >= 0; i--) // defect
  for (int i = 5; i > 0; i--)  // repaired
    total += 60 / i;
  return total;
}
