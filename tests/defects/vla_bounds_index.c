// property: valid-deref
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int length = __VERIFIER_nondet_int();
  if (length < 1 || length > 8) return 0;
  int numbers[length];
  for (int i = 0; i <= length; i++) // defect
  for (int i = 0; i < length; i++) // repaired
    numbers[i] = i;
  return numbers[0];
}
