#include "judged.h"
#ifdef MODIFIED
__attribute__((noinline, cold)) static int f(int x) { return x + 1; }
#else
__attribute__((unused)) static int f(int x) { return x + 1; }
#endif
int main(void) { CHECK(f(input()) > 0); return 0; }
