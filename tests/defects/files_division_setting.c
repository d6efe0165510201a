// property: div-zero
// file: main.c
extern int __VERIFIER_nondet_int(void);
extern int step;
void setup(int wanted);
int main(void) {
  int value = __VERIFIER_nondet_int();
  setup(__VERIFIER_nondet_int());
  if (value < 0)
    return 0;
  return value % step == 1;
}
// file: setup.c
int step = 1;
void setup(int wanted) {
  if (wanted >= 0 && wanted < 9) // defect
  if (wanted > 0 && wanted < 9)  // repaired
    step = wanted;
}
