#include "judged.h"
static int f(int x)
{
#ifdef MODIFIED
    short s = x;
#else
    int s = x;
#endif
    return s;
}
int main(void) { int x = input(); CHECK(f(x) == x); return 0; }
