#include "judged.h"
#ifdef MODIFIED
#define DOUBLE(x) x + x
#else
#define DOUBLE(x) ((x) + (x))
#endif
int main(void) { int x = input(); CHECK(2 * DOUBLE(x) == 4 * x); return 0; }
