#include "judged.h"
#ifdef MODIFIED
static int spare = 2;
#else
static int spare = 3;
#endif
static int limit = 3;
int main(void) { int x = spare; CHECK(input() <= limit); return x; }
