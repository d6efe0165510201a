#include "judged.h"
static int f(int *p, int *q) { *p = 1; *q = 2; return *p; }
int main(void)
{
    int x, y;
#ifdef MODIFIED
    CHECK(f(&x, &x) == 1);
#else
    CHECK(f(&x, &y) == 1);
#endif
    return 0;
}
