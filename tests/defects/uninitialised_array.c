// property: valid-deref
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a = 1;
  int *all[3];
  for (int i = 0; i < 2; i++) // defect
  for (int i = 0; i < 3; i++) // repaired
    all[i] = &a;
  int n = __VERIFIER_nondet_int() & 3;
  if (n > 2) return 0;
  return *all[n];
}
