#include "judged.h"
/* What has the type of a bit-field, and what types are compatible where a program asks. */
struct fields { unsigned wide : 31; unsigned whole : 32; int narrow : 5; signed char small : 4; _Bool flag : 1; };
enum small { FIRST = -1, SECOND };
#define SAME(...) __builtin_types_compatible_p(__VA_ARGS__)
#define NAMED(x) _Generic((x), _Bool: 1, int: 2, unsigned: 3, default: 4)
int main(void)
{
    struct fields f = {0};
    CHECK(NAMED(f.wide) == 4 && NAMED(f.whole) == 3 && NAMED(f.narrow) == 4 && NAMED(f.flag) == 1);
    CHECK(NAMED(f.wide = 1) == 4 && NAMED(f.narrow++) == 4 && NAMED((f.small, f.narrow)) == 4 && NAMED(f.whole = 1) == 3);
    CHECK(NAMED(f.flag = 3) == 1 && NAMED(f.flag += 1) == 1 && NAMED(--f.flag) == 1 && NAMED((0, f.flag)) == 1);
    CHECK(NAMED(f.wide + 0) == 2 && NAMED(+f.narrow) == 2 && NAMED(1 ? f.flag : f.flag) == 2);
    __typeof__(f.flag = 1) x = 5;
    __typeof__((0, f.flag)) y = 6;
    __typeof__(f.whole++) z = -1;
    CHECK(x == 1 && y == 1 && z == 4294967295u);
    CHECK(!SAME(int(char), int()) && !SAME(int(), int(float)) && !SAME(int(_Bool), int()) && !SAME(int(short), int()));
    CHECK(SAME(int(int), int()) && SAME(int(double), int()) && SAME(int(), int()) && !SAME(int(int, ...), int()));
    CHECK(!SAME(int (*)(char), int (*)()) && _Generic((int (*)(char))0, int (*)(): 1, default: 0) == 0);
    CHECK(SAME(const int[3], int[3]) && SAME(const int[2][3], int[2][3]) && SAME(volatile char[3], char[]));
    CHECK(!SAME(int (*)[3], const int (*)[3]) && !SAME(int[3], int[4]) && SAME(int[][3], int[2][3]));
#ifdef __SIZEOF_INT128__
    unsigned long long m = ~0ull;
    __int128 s;
    unsigned __int128 u;
    CHECK(__builtin_mul_overflow(m, m, &s) && s == (__int128)((unsigned __int128)m * m));
    CHECK(!__builtin_mul_overflow(m, m, &u) && !__builtin_mul_overflow(m, m / 2, &s) && __builtin_mul_overflow(m, -1ll, &u));
    CHECK(__builtin_mul_overflow_p(m, m, (__int128)0) && __builtin_sub_overflow(x - 1, 1, &u) && u == ~(unsigned __int128)0);
    CHECK(!__builtin_sub_overflow(x, 1, &u) && u == 0 && !__builtin_sub_overflow(0, 1, &s) && s == -1);
#endif
    END;
}
