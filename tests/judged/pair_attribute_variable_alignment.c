#include "judged.h"
#ifdef MODIFIED
static char room[4] __attribute__((aligned(2)));
#else
static char room[4] __attribute__((aligned(8)));
#endif
int main(void) { CHECK(__alignof__(room) == 8); return 0; }
