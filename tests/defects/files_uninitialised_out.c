// property: valid-deref
// file: main.c
extern int __VERIFIER_nondet_int(void);
void choose(int key, int **to);
int main(void) {
  int *p;
  choose(__VERIFIER_nondet_int(), &p);
  return *p == 9;
}
// file: choose.c
static int low = 1, high = 2;
void choose(int key, int **to) {
  *to = &low; // repaired
  if (key > 3)
    *to = &high;
}
