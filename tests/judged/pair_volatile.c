#include "judged.h"
#ifdef MODIFIED
static volatile int v = 1;
#else
static int v = 1;
#endif
int main(void) { v += 1; CHECK(v == 2); return 0; }
