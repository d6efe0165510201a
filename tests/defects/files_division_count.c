// property: div-zero
// file: main.c
extern int __VERIFIER_nondet_int(void);
int mean(const int *values, int count);
int main(void) {
  int values[3] = { 4, 5, 6 }, count = __VERIFIER_nondet_int();
  if (count < 0 || count > 3)
    return 0;
  return mean(values, count) > 6;
}
// file: mean.c
int mean(const int *values, int count) {
  int total = 0;
  if (count == 0) return 0; // repaired
  for (int i = 0; i < count; i++)
    total += values[i];
  return total / count;
}
