#include "judged.h"
typedef int t;
static int f(t t) { return t + 1; }
int main(void)
{
    t x = 3;
    { int t = 5; x += t; }
    struct t { t t; } s = {7};
    CHECK(x == 8 && f(2) == 3 && s.t == 7);
    END;
}
