#include "judged.h"
int main(void)
{
    int r;
    unsigned u;
    signed char c;
    unsigned long long w;
    long long l;
    CHECK(__builtin_add_overflow(2147483647, 1, &r) && r == (-2147483647 - 1));
    CHECK(!__builtin_sub_overflow(3, 4, &r) && r == -1);
    CHECK(__builtin_sub_overflow(3, 4, &u) && u == 4294967295u);
    CHECK(__builtin_mul_overflow(16, 16, &c) && c == 0);
    CHECK(__builtin_add_overflow_p(127, 1, (signed char)0));
    /* Operands of 64 bits: what `size_t` is multiplied in. */
    CHECK(!__builtin_mul_overflow(4294967296ull, 4294967295ull, &w) && w == 18446744069414584320ull);
    CHECK(__builtin_mul_overflow(4294967296ull, 4294967296ull, &w) && w == 0);
    CHECK(__builtin_mul_overflow(~0ull, ~0ull, &w) && w == 1);
    CHECK(__builtin_umulll_overflow(~0ull, 2, &w) && w == ~0ull - 1);
    CHECK(__builtin_mul_overflow(~0ull, ~0ull, &l) && l == 1);
    CHECK(__builtin_mul_overflow(4294967295ull, 4294967297ull, &l) && l == -1);
    CHECK(!__builtin_mul_overflow(~0ull, 0ll, &l) && l == 0);
    CHECK(__builtin_mul_overflow(~0ull, -1ll, &w) && w == 1);
    CHECK(!__builtin_mul_overflow(9223372036854775807ull, -1ll, &l) && l == -9223372036854775807ll);
    w = 1844674407370955162ull;
    CHECK(__builtin_mul_overflow(w, 10ull, &w) && w == 4);
    END;
}
