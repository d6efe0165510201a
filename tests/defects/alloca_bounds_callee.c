// property: valid-deref
#include <alloca.h>
extern int __VERIFIER_nondet_int(void);
static int sum(const int *numbers, int count) {
  int result = 0;
  for (int i = 0; i < count; i++) result += numbers[i];
  return result;
}
int main(void) {
  int count = __VERIFIER_nondet_int();
  if (count < 1 || count > 3) return 0;
  int *numbers = alloca(count * sizeof(int));
  for (int i = 0; i < count; i++) numbers[i] = 2;
  int result = sum(numbers, count + 1); // defect
  int result = sum(numbers, count); // repaired
  return result == 1;
}
