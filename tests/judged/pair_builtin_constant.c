#include "judged.h"
#ifdef MODIFIED
static int limit = 3;
#else
enum { limit = 3 };
#endif
int main(void) { CHECK(__builtin_constant_p(limit)); return 0; }
