#include "judged.h"
static int level;
#ifdef MODIFIED
#define FIRST 300
#else
#define FIRST 102
#endif
__attribute__((constructor(FIRST))) static void low(void) { level = 1; }
__attribute__((constructor(200))) static void high(void) { level = level * 2 + 3; }
int main(void) { CHECK(level == 5); return 0; }
