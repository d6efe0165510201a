#include "judged.h"
static int a(void) { return 1; }
static int b(void) { return 2; }
static int c(void) { return 3; }
#ifdef MODIFIED
static int (*t[3])(void) = {a, b, a};
#else
static int (*t[3])(void) = {a, b, c};
#endif
int main(void) { CHECK(t[input() & 1]() <= 2); return 0; }
