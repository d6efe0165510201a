#include "judged.h"
static int n;
static int g(void) { return ++n; }
int main(void)
{
#ifdef MODIFIED
    int a[4] = {[0 ... 2] = g(), [3] = g()};
#else
    int a[4] = {[0 ... 3] = g()};
#endif
    CHECK(a[3] == 1 && n == 1);
    return 0;
}
