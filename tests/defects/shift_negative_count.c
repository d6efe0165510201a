// property: shift
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n > 8) return 0;          // defect
  if (n > 8 || n < 0) return 0; // repaired
  return 1024 >> n;
}
