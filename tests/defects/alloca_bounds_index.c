// property: valid-deref
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int length = __VERIFIER_nondet_int();
  if (length < 1 || length > 6) return 0;
  char *text = __builtin_alloca(length);
  for (int i = 0; i < length; i++) text[i] = 'a';
  text[length] = 0; // defect
  text[length - 1] = 0; // repaired
  return text[0] == 1;
}
