// property: valid-deref
extern int __VERIFIER_nondet_int(void);
static int keys[3] = { 4, 5, 6 };
static int *find(int key) {
  for (int i = 0; i < 3; i++)
    if (keys[i] == key) return &keys[i];
  return 0;
}
int main(void) {
  int *found = find(__VERIFIER_nondet_int());
  if (found) // repaired
  *found = 0;
  return 0;
}
