// property: valid-deref
extern int __VERIFIER_nondet_int(void);
static int table[5] = { 1, 2, 3, 4, 5 };
static int look(unsigned at) {
  return table[at];
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  unsigned at = n & 7;         // defect
  unsigned at = (n & 7) % 5;   // repaired
  return look(at);
}
