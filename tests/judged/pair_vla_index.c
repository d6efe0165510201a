#include "judged.h"
int main(void)
{
    int n = input() + 2;
    int a[n];
    a[0] = 1;
    a[1] = 0;
#ifdef MODIFIED
    CHECK(a[n > 4]);
#else
    CHECK(a[n > 5]);
#endif
    return 0;
}
