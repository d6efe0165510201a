#include "judged.h"
static int one(void) { return 1; }
static int two(void) { return 2; }
#ifdef MODIFIED
static int called(void) __attribute__((alias("two")));
#else
static int called(void) __attribute__((alias("one")));
#endif
int main(void) { CHECK(called() == 1); return 0; }
