#include "judged.h"
#ifdef MODIFIED
typedef unsigned int number;
#else
typedef int number;
#endif
int main(void) { number n = input(); CHECK(n - 4 < 0); return 0; }
