#include "judged.h"
static int n = 1;
#ifdef MODIFIED
#define FIRST 300
#else
#define FIRST 101
#endif
__attribute__((constructor(FIRST))) static void add(void) { n += 2; }
__attribute__((constructor(200))) static void twice(void) { n *= 2; }
int main(void) { CHECK(n == 6); return 0; }
