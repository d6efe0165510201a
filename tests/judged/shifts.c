#include "judged.h"
int main(void)
{
    int n = input();
    CHECK((1u << 31) == 2147483648u && (-8 >> 1) == -4 && (0x80000000u >> 31) == 1);
    CHECK((1 << n) == (n == 0 ? 1 : n == 1 ? 2 : n == 2 ? 4 : 8) && (1L << 40) > 0);
    unsigned char c = 0x81;
    c <<= 1;
    CHECK(c == 2 && (c >> 1) == 1);
    END;
}
