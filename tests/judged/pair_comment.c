#include "judged.h"
#ifdef MODIFIED
/* says something else */
int main(void) { /* a comment */ CHECK(input() < 4); return 0; }
#else
int main(void) { CHECK(input() < 4); return 0; }
#endif
