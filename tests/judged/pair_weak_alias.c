#include "judged.h"
int one(void) { return 1; }
int two(void) { return 2; }
int chosen(void);
#ifdef MODIFIED
#pragma weak chosen = two
#else
#pragma weak chosen = one
#endif
int main(void) { CHECK(chosen() == 1); return 0; }
