#include "judged.h"
#ifdef MODIFIED
static __thread int n = 2;
#else
static __thread int n = 1;
#endif
int main(void) { CHECK(n == 1); return 0; }
