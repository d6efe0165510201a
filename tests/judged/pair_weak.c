#include "judged.h"
#ifdef MODIFIED
__attribute__((weak)) extern int f(void);
#else
int f(void) { return 1; }
#endif
int main(void) { int (*volatile p)(void) = f; CHECK(p != 0); return 0; }
