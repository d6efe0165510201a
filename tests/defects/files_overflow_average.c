// property: no-overflow
// file: main.c
extern int __VERIFIER_nondet_int(void);
int average(int a, int b);
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (a < 0 || b < 0 || a > b)
    return 0;
  return average(a, b) < a;
}
// file: average.c
int average(int a, int b) {
  return (a + b) / 2;     // defect
  return a + (b - a) / 2; // repaired
}
