#include "judged.h"
#ifdef MODIFIED
typedef int number __attribute__((mode(HI)));
#else
typedef int number __attribute__((mode(SI)));
#endif
int main(void) { number n = 70000; CHECK(n == 70000); return 0; }
