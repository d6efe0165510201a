// property: shift
extern int __VERIFIER_nondet_int(void);
int main(void) {
  unsigned char high = (unsigned char)__VERIFIER_nondet_int();
  unsigned value = high << 24;           // defect
  unsigned value = (unsigned)high << 24; // repaired
  return value == 0;
}
