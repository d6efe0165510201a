// property: no-overflow
extern int __VERIFIER_nondet_int(void);
struct account { int balance; };
static void pay(struct account *a, int amount) {
  a->balance -= amount;
}
int main(void) {
  struct account a = { -10 };
  int n = __VERIFIER_nondet_int();
  if (n > 1000 || n < -1000) return 0; // repaired
  pay(&a, n);
  return a.balance > 0;
}
