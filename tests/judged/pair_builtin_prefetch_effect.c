#include "judged.h"
static int n;
int main(void)
{
#ifdef MODIFIED
    __builtin_prefetch((n++, &n));
#else
    __builtin_prefetch(&n);
#endif
    CHECK(n == 0);
    return 0;
}
