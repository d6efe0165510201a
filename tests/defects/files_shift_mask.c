// property: shift
// file: main.c
extern int __VERIFIER_nondet_int(void);
unsigned bit(int number);
int main(void) {
  return bit(__VERIFIER_nondet_int()) == 5;
}
// file: bit.c
unsigned bit(int number) {
  if (number < 0 || number > 32) // defect
  if (number < 0 || number > 31) // repaired
    return 0;
  return 1u << number;
}
