#include "judged.h"
int main(void)
{
    int r;
    unsigned u;
    signed char c;
    CHECK(__builtin_add_overflow(2147483647, 1, &r) && r == (-2147483647 - 1));
    CHECK(!__builtin_sub_overflow(3, 4, &r) && r == -1);
    CHECK(__builtin_sub_overflow(3, 4, &u) && u == 4294967295u);
    CHECK(__builtin_mul_overflow(16, 16, &c) && c == 0);
    CHECK(__builtin_add_overflow_p(127, 1, (signed char)0));
    END;
}
