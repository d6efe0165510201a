#include "judged.h"
#ifdef MODIFIED
typedef long number;
#else
typedef int number;
#endif
static number n;
int main(void) { CHECK(_Generic(n, int: 1, default: 2) == 1); return 0; }
