#include "judged.h"
int main(void)
{
    CHECK(0x7fffffff + 1u == 2147483648u && 0b101 == 5 && 017 == 15);
    CHECK(sizeof(2147483648) == 8 && sizeof(0x80000000) == 4 && sizeof(1ULL) == 8 && sizeof('a') == 4);
    CHECK(-1 < 0x80000000 == 0 && -1L < 0x80000000);
    END;
}
