// property: div-zero
extern int __VERIFIER_nondet_int(void);
struct rate { long amount; short per; };
static void normalise(struct rate *r) {
  r->amount /= r->per;
}
int main(void) {
  struct rate r = { 60, 0 };
  int n = __VERIFIER_nondet_int();
  r.per = (short)(n & 3);     // defect
  r.per = (short)((n & 3) + 1); // repaired
  normalise(&r);
  return (int)r.amount;
}
