#include "judged.h"
struct s { int kind; union { int number; struct { short lo, hi; }; }; };
int main(void)
{
    struct s s = {.kind = 1, .number = 0x00020001};
    CHECK(s.lo == 1 && s.hi == 2 && sizeof s == 8);
    s.hi = input();
    CHECK(s.number >> 16 == s.hi);
    END;
}
