#include "judged.h"
static int first(int n, ...) { return n; }
#ifdef MODIFIED
#define V 6
#else
#define V 5
#endif
int main(void) { CHECK(first(1, V) == 1); return 0; }
