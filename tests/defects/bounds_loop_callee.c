// property: valid-deref
extern int __VERIFIER_nondet_int(void);
static int sum(const int *a, int count) {
  int total = 0;
  for (int i = 0; i <= count; i++) // defect
  for (int i = 0; i < count; i++)  // repaired
    total += a[i];
  return total;
}
int main(void) {
  int a[3] = { 1, 2, 3 };
  return sum(a, 3);
}
