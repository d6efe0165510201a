#include "judged.h"
static int f(const int *p) { return p[0] + p[2]; }
#ifdef MODIFIED
#define V (int[]){1, 9, 3}
#else
#define V (int[]){1, 2, 3}
#endif
int main(void) { CHECK(f(V) == 4); return 0; }
