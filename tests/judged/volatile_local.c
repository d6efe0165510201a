#include "judged.h"
int main(void)
{
    volatile int x = 3;
    volatile int *p = &x;
    *p += 2;
    CHECK(x == 5);
    END;
}
