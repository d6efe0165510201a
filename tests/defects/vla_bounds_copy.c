// property: valid-deref
extern int __VERIFIER_nondet_int(void);
void *memcpy(void *, const void *, unsigned long);
static const char name[8] = "abcdefg";
int main(void) {
  int length = __VERIFIER_nondet_int();
  if (length < 1 || length > 7) return 0;
  char copy[length];
  memcpy(copy, name, length + 1); // defect
  memcpy(copy, name, length); // repaired
  return copy[0] != 'a';
}
