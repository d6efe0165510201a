// property: valid-deref
extern int __VERIFIER_nondet_int(void);
static void fill(char *to, int count) {
  for (int i = 0; i < count; i++) to[i] = 1;
}
int main(void) {
  int length = __VERIFIER_nondet_int();
  if (length < 1 || length > 7) return 0;
  char text[length];
  fill(text, length + 1); // defect
  fill(text, length); // repaired
  return text[0] - 1;
}
