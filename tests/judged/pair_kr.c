#include "judged.h"
#ifdef MODIFIED
static int f(a) unsigned char a; { return a; }
#else
static int f(a) int a; { return a; }
#endif
int main(void) { CHECK(f(256 + input()) >= 256); return 0; }
