#include "judged.h"
static const int three = 3;
const double half = 0.5;
static const int *const where = &three;
static int next = three + 1, wide = (short)(three << 16 | 9);
static double whole = half * 2;
static const int *same = where;
static struct { int x, y[2]; } parts = { three, { .5 < half ? 1 : 2, -three } };
int main(void)
{
    static const long local = 40;
    static long more = local + three;
    CHECK(next == 4 && wide == 9 && whole == 1.0 && *same == 3 && same == &three);
    CHECK(parts.x == 3 && parts.y[0] == 2 && parts.y[1] == -3 && more == 43);
    END;
}
