// property: valid-deref
extern int __VERIFIER_nondet_int(void);
struct reader { const char *at; };
static char next(struct reader *r) { return *r->at++; }
int main(void) {
  struct reader r;
  r.at = "text"; // repaired
  return next(&r);
}
