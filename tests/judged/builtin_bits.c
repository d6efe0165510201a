#include "judged.h"
int main(void)
{
    unsigned x = 0x00f0;
    CHECK(__builtin_popcount(x) == 4 && __builtin_clz(x) == 24 && __builtin_ctz(x) == 4 && __builtin_ffs(x) == 5);
    CHECK(__builtin_parity(7) == 1 && __builtin_ffs(0) == 0 && __builtin_clzl(1UL) == 63 && __builtin_clrsb(-1) == 31);
    CHECK(__builtin_bswap16(0x0102) == 0x0201 && __builtin_bswap32(1) == 0x01000000);
    CHECK(__builtin_bswap64(0x0102030405060708ULL) == 0x0807060504030201ULL);
    END;
}
