#include "judged.h"
static int f(void)
{
#ifdef MODIFIED
    short s = 40000;
#else
    int s = 40000;
#endif
    return s;
}
int main(void) { CHECK(f() > 0); return 0; }
