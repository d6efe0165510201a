#include "judged.h"
/* The type of a bit-field where a program asks: a standard one of so many bits, else one that has no name. */
struct fields {
    unsigned byte : 8; int half : 16; long long word : 32; long whole : 32; unsigned long small : 8; long long tiny : 8;
    unsigned five : 5; int thirteen : 13; unsigned long long forty : 40; unsigned all_but_one : 31;
};
#define NAMED(x) _Generic((x), signed char: 1, unsigned char: 2, short: 3, unsigned short: 4, int: 5, unsigned: 6, \
    long: 7, unsigned long: 8, long long: 9, unsigned long long: 10, default: 11)
int a;
int main(void)
{
    struct fields f = {0};
    CHECK(NAMED(f.byte) == 2 && NAMED(f.half) == 3 && NAMED(f.word) == 5 && NAMED(f.small) == 2 && NAMED(f.tiny) == 1);
    CHECK(NAMED(f.whole) == (sizeof(long) == 8 ? 5 : 7) && NAMED(f.five) == 11);
    CHECK(NAMED(f.thirteen) == 11 && NAMED(f.forty) == 11);
    CHECK(NAMED(f.byte = 1) == 2 && NAMED(f.half++) == 3 && NAMED((0, f.small)) == 2 && NAMED(({ f.byte; })) == 2);
    CHECK(NAMED(({ f.five; })) == 11 && NAMED(({ struct fields g; g.half; })) == 3 && NAMED(({ a = 1; end: f.word; })) == 5);
    CHECK(NAMED(a ? f.forty : 0) == 11 && NAMED(a ? 0 : f.forty) == 11 && NAMED(a ? f.forty : 0LL) == 9);
    CHECK(NAMED(f.forty ?: 0) == 11 && NAMED(a ? f.five : f.five) == 5 && NAMED(a ? f.byte : f.byte) == 5);
    CHECK(NAMED(__builtin_choose_expr(1, f.byte, 0)) == 2 && NAMED(_Generic(0, int: f.small)) == 2);
    CHECK(NAMED(f.byte + 0) == 5 && NAMED(+f.half) == 5);
    CHECK(sizeof(f.five = 1) == 1 && sizeof(f.thirteen++) == 2 && sizeof(f.all_but_one--) == 4 && sizeof(f.forty = 1) == 8);
    CHECK(sizeof((0, f.five)) == 1 && sizeof(({ f.five; })) == 1 && sizeof(({ f.thirteen; })) == 2 && sizeof(f.byte = 1) == 1);
    CHECK(sizeof(({ ({ f.five; }); })) == 1 && sizeof(({ f.five; 1; })) == 4 && sizeof(({ ({ f.five; }); f.thirteen; })) == 2);
    CHECK(sizeof(a ? f.five : f.five) == 4 && sizeof(f.five + 0) == 4 && sizeof(+f.five) == 4);
    CHECK(__alignof__(f.five = 1) == 1 && __alignof__(f.thirteen = 1) == 2 && _Alignof((0, f.forty)) == 8);
    CHECK(f.five == 0 && f.thirteen == 0 && f.byte == 0 && f.half == 0);
    __typeof__(f.byte = 1) x = 257;
    __typeof__(({ f.half; })) y = 65535;
    CHECK(x == 1 && y == -1 && f.byte == 0);
    CHECK(__builtin_add_overflow_p(200, 100, (0, f.byte)) && !__builtin_add_overflow_p(20, 100, (0, f.byte)));
#ifdef __SIZEOF_INT128__
    struct { __int128 wide : 64; unsigned __int128 odd : 70; } w = {0};
    CHECK(NAMED(w.wide) == 7 && NAMED(w.odd) == 11 && sizeof(w.odd = 1) == 16 && sizeof(w.wide = 1) == 8);
#endif
    END;
}
