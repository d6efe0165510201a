#include "judged.h"
extern void *memset(void *, int, unsigned long);
#ifdef MODIFIED
#define V 256
#else
#define V 1
#endif
int main(void) { char b[4]; memset(b, V, 4); CHECK(b[2] == 1); return 0; }
