#include "judged.h"
int main(void)
{
    int a[3] = {1, 2, 3}, *p = a;
    _Bool b = 1;
    int x = *p++;
    int y = ++*p;
    b++;
    CHECK(x == 1 && y == 3 && p == a + 1 && a[1] == 3 && b == 1);
    b--;
    CHECK(b == 0);
    END;
}
