#include "judged.h"
union u { long l; struct { short a, b; } s; char c[8]; };
int main(void)
{
    union u u = {-1};
    u.s.a = 0;
    CHECK(u.l == ~0xffffL && u.s.b == -1);
    union u v = {.c = "ab"};
    CHECK(v.s.a == 0x6261 && v.l == 0x6261);
    END;
}
