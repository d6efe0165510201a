#include "judged.h"
int first __asm__("cell_a") = 1, second __asm__("cell_b") = 2;
#ifdef MODIFIED
extern int seen __asm__("cell_b");
#else
extern int seen __asm__("cell_a");
#endif
int main(void) { CHECK(seen == 1); return 0; }
