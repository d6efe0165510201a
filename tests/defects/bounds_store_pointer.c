// property: valid-deref
extern int __VERIFIER_nondet_int(void);
static void fill(char *to, char *end) {
  while (to <= end) // defect
  while (to < end)  // repaired
    *to++ = 'x';
}
int main(void) {
  char buffer[3];
  fill(buffer, buffer + 3);
  return buffer[0] == 'y';
}
