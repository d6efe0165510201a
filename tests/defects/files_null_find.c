// property: valid-deref
// file: main.c
extern int __VERIFIER_nondet_int(void);
int *find(int key);
int main(void) {
  int *p = find(__VERIFIER_nondet_int());
  if (!p) return 0; // repaired
  return *p > 9;
}
// file: find.c
static int values[2] = { 4, 5 };
int *find(int key) {
  if (key == 1)
    return &values[0];
  if (key == 2)
    return &values[1];
  return 0;
}
