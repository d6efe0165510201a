// property: valid-deref
extern int __VERIFIER_nondet_int(void);
static char last(const char *text, int length) {
  if (length < 1) return 0; // repaired
  return text[length - 1];
}
int main(void) {
  char text[4] = "abc";
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 4) return 0;
  return last(text, n);
}
