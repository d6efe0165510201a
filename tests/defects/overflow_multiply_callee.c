// property: no-overflow
extern int __VERIFIER_nondet_int(void);
static int area(int w, int h) {
  return w * h;
}
int main(void) {
  int w = __VERIFIER_nondet_int(), h = __VERIFIER_nondet_int();
  if (w < 0 || h < 0) return 0;
  if (w > 50000 || h > 50000) return 0; // defect
  if (w > 40000 || h > 40000) return 0; // repaired
  return area(w, h) == 12;
}
