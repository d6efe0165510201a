#include "judged.h"
#ifdef MODIFIED
#define V (-8 >> 1)
#else
#define V ((int)(-8u >> 1))
#endif
int main(void) { int v = V; CHECK(v > 0); return 0; }
