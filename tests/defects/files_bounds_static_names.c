// property: valid-deref
// file: main.c
extern int __VERIFIER_nondet_int(void);
int second(int i);
static int data[8];
static int get(int i) { return data[i]; }
int main(void) {
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i > 7)
    return 0;
  return get(i) + second(i) > 9;
}
// file: second.c
static int data[4];
static int get(int i) { return data[i]; }
int second(int i) {
  if (i > 4) // defect
  if (i > 3) // repaired
    return 0;
  return get(i);
}
