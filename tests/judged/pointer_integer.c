#include "judged.h"
int main(void)
{
    int x = 3, y = 4;
    unsigned long a = (unsigned long)&x;
    a ^= 0x55;
    int *p = (int *)(a ^ 0x55);
    *p = 8;
    CHECK(x == 8 && y == 4);
    END;
}
