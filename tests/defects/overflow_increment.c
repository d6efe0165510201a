// property: no-overflow
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  int old = n++;           // defect
  int old = n, next = n < 100 ? n + 1 : n; // repaired
  return old > 5;
}
