#include "judged.h"
int main(void)
{
    int a[5] = {1, 2, 3, 4, 5};
    int *p = a + 4, *q = &a[1];
    CHECK(p - q == 3 && *(p - 2) == 3 && q[2] == 4 && 2[a] == 3 && p > q && (char *)p - (char *)q == 12);
    END;
}
