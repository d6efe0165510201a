#include "judged.h"
static int a = 1, b = 2;
int main(void)
{
#ifdef MODIFIED
    int *p = &b;
#else
    int *p = &a;
#endif
    *p = 7;
    CHECK(b == 2);
    return 0;
}
