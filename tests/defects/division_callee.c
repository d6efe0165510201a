// property: div-zero
extern int __VERIFIER_nondet_int(void);
static int average(int sum, int count) {
  return sum / count;
}
int main(void) {
  int count = 0, sum = 0;
  int n = __VERIFIER_nondet_int();
  for (int i = 0; i < 3; i++)
    if (n > i) { sum += i; count++; }
  if (count == 0) return 0; // repaired
  return average(sum, count);
}
