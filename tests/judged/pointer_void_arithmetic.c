#include "judged.h"
int main(void)
{
    int a[2] = {1, 2};
    void *p = a;
    p += 4;
    CHECK(*(int *)p == 2 && sizeof(void) == 1 && sizeof(*p) == 1);
    END;
}
