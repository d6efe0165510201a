#include "judged.h"
int main(void)
{
#ifdef MODIFIED
    static void *t[] = {&&b, &&a};
#else
    static void *t[] = {&&a, &&b};
#endif
    int x = 0;
    goto *t[0];
a:  x += 1;
b:  x += 2;
    CHECK(x == 3);
    return 0;
}
