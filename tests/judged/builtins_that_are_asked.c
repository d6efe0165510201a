#include "judged.h"
/* The types of what builtins yield, and lengths of literals in what static objects begin with. */
#define SAME(x, T) __builtin_types_compatible_p(__typeof__(x), T)
static unsigned long length = __builtin_strlen("a\0b");
static int lengths[] = { __builtin_strlen(""), 2 * __builtin_strlen("abc") + 1, __builtin_strlen("x" "yz") == 3 };
int main(void)
{
    CHECK(SAME(__builtin_bswap64(1), unsigned long) == (sizeof(long) == 8) && SAME(__builtin_bswap32(1), unsigned));
    CHECK(_Generic(__builtin_bswap64(1), unsigned long: 1, unsigned long long: 2, default: 0) == (sizeof(long) == 8 ? 1 : 2));
    CHECK(SAME(__builtin_imaxabs(1), long) == (sizeof(long) == 8) && SAME(__builtin_lround(1.0), long));
    CHECK(SAME(__builtin_llround(1.0), long long) && SAME(__builtin_lrintf(1.0f), long));
    CHECK(SAME(__builtin_fabsl(1.0L), long double) && SAME(__builtin_ceilf(1.0f), float));
    CHECK(SAME(__builtin_FILE(), const char *) && SAME(__builtin_FUNCTION(), const char *) && SAME(__builtin_LINE(), int));
    CHECK(SAME(__builtin_frame_address(0), void *) && SAME(__builtin_FILE()[0], char));
    CHECK(__builtin_bswap64(1) >> 56 == 1 && __builtin_bswap64(0x0102030405060708) == 0x0807060504030201);
    CHECK(length == 1 && lengths[0] == 0 && lengths[1] == 7 && lengths[2] == 1);
    END;
}
