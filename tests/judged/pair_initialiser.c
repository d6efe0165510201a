#include "judged.h"
#ifdef MODIFIED
static int limit = 2;
#else
static int limit = 3;
#endif
int main(void) { CHECK(input() <= limit); return 0; }
