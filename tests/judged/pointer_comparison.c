#include "judged.h"
int main(void)
{
    int a[3], *p = a;
    CHECK(p && !(p == a + 1) && p < a + 3 && &a[0] == a && (void *)p == (void *)&a);
    p = 0;
    CHECK(!p && p == (void *)0);
    END;
}
