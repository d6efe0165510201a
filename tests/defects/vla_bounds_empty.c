// property: valid-deref
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int length = __VERIFIER_nondet_int();
  if (length < 2 || length > 6) return 0;
  char text[length - 1];
  int at = 0;
  for (int i = 0; i + 1 < length; i++) text[i] = 'a';
  at = length - 1; // defect
  at = length - 2; // repaired
  return text[at] != 'a';
}
