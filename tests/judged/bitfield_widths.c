#include "judged.h"
struct s { unsigned a : 3; int b : 3; unsigned c : 1; signed d : 1; unsigned long e : 40; };
int main(void)
{
    struct s s = {9, 5, 3, 1, 0x1ffffffffffUL};
    CHECK(s.a == 1 && s.b == -3 && s.c == 1 && s.d == -1);
    CHECK(s.e == 0xffffffffffUL && sizeof(struct s) == 8);
    s.a--;
    s.a -= 2;
    CHECK(s.a == 6);
    END;
}
