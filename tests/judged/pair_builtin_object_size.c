#include "judged.h"
#ifdef MODIFIED
static char b[8];
#else
static char b[16];
#endif
int main(void) { CHECK(__builtin_object_size(b, 0) == 16); return 0; }
