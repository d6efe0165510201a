#include "judged.h"
int main(void)
{
    int i = -1;
    unsigned u = 1;
    long l = -1;
    unsigned long ul = 1;
    CHECK(i > u && l < u && l > ul && i < (long)u);
    CHECK((1 ? -1 : 1u) > 0 && (i >> 1) == -1 && -7 / 2 == -3 && -7 % 2 == -1 && 7 % -2 == 1);
    END;
}
