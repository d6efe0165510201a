// property: valid-deref
extern int __VERIFIER_nondet_int(void);
static long whole(const void *p) {
  return *(const long *)p;     // defect
  return *(const int *)p;      // repaired
}
int main(void) {
  int small = 7;
  return (int)whole(&small);
}
