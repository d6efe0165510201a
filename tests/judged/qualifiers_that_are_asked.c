#include "judged.h"
/* The qualifiers of arrays are those of their elements; ++ and -- keep those of what they count. */
typedef int three[3];
typedef three rows[2];
const struct { int a[3]; three b[2]; int c; } s = { {1, 2, 3}, {{4, 5, 6}, {7, 8, 9}}, 10 };
const three c = {1, 2, 3};
volatile rows r;
volatile int v;
#define SAME(x, T) _Generic((x), T: 1, default: 0)
int main(void)
{
    CHECK(SAME(&s.a, const int (*)[3]) && !SAME(&s.a, int (*)[3]) && SAME(&s.b, const int (*)[2][3]) && SAME(&s.c, const int *));
    CHECK(SAME(&c, const int (*)[3]) && SAME(&c, const three *) && SAME(&r, volatile int (*)[2][3]));
    CHECK(SAME(r, volatile int (*)[3]));
    CHECK(SAME(s.a, const int *) && SAME(c, const int *) && SAME(s.b, const int (*)[3]) && SAME(&s.b[1], const int (*)[3]));
    CHECK(SAME((__typeof__(s.a) *)0, const int (*)[3]) && SAME((__typeof__(c) *)0, const int (*)[3]));
    CHECK(SAME(&*&c, const int (*)[3]) && SAME(*&c, const int *) && SAME(&(*&s.b)[1], const int (*)[3]));
    CHECK((*&c)[1] == 2 && (*&s.b)[1][2] == 9 && *(*(&s.b[0] + 1) + 1) == 8 && (*&s.a)[input() % 3] > 0);
    CHECK(SAME((__typeof__(v++) *)0, volatile int *) && SAME((__typeof__(++v) *)0, volatile int *));
    CHECK(SAME((__typeof__(v--) *)0, volatile int *) && SAME((__typeof__((v--)) *)0, volatile int *));
    CHECK(SAME((__typeof__(v = 1) *)0, int *) && SAME((__typeof__((0, v++)) *)0, int *) && SAME((__typeof__(v += 1) *)0, int *));
    CHECK(SAME(v++, int) && SAME((__typeof__(+v) *)0, int *) && SAME((__typeof__(v) *)0, volatile int *));
    const three *p = &c;
    volatile int (*q)[3] = r;
    q[1][2] = 7;
    CHECK((*p)[2] == 3 && r[1][2] == 7 && (*&r)[1][2] == 7 && (*(&r[0] + 1))[2] == 7);
    END;
}
