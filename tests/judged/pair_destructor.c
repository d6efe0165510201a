#include "judged.h"
extern void exit(int);
static int used = 1;
#ifdef MODIFIED
__attribute__((destructor))
#endif
static void end(void) { CHECK(used == 0); }
static void leave(int x) { if (x > 1) exit(0); }
int main(void) { leave(input()); used = 0; end(); return 0; }
