// property: valid-deref
extern int __VERIFIER_nondet_int(void);
static char packet[6];
static char record[16];
static void copy(void *to, const void *from, unsigned long n) {
  char *target = to;
  const char *source = from;
  for (unsigned long i = 0; i < n; i++)
    target[i] = source[i];
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 7)          // defect
  if (n < 0 || n > 6)          // repaired
    return 0;
  copy(packet, record, n);
  return packet[0];
}
