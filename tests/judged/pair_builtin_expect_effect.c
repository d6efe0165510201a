#include "judged.h"
static int n;
static int next(void) { return ++n; }
int main(void)
{
#ifdef MODIFIED
    if (__builtin_expect(1, next())) n += 10;
#else
    if (__builtin_expect(1, 1)) n += 10;
#endif
    CHECK(n == 10);
    return 0;
}
