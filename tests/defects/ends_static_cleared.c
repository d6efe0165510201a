// property: valid-memtrack
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static struct { int count; int *cells; } table;
static void clear(void) {
  free(table.cells); // repaired
  table.cells = 0;
}
int main(void) {
  table.cells = malloc(16);
  table.cells[0] = 1;
  if (__VERIFIER_nondet_int() > 3) clear();
  return 0;
}
