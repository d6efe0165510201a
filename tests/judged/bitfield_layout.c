#include "judged.h"
struct s { char a; int b : 7; int : 0; int c : 2; short d : 9; };
struct t { unsigned lo : 4, hi : 4; };
int main(void)
{
    union { struct t t; unsigned char b; } u = {{0}};
    u.b = 0x5a;
    CHECK(sizeof(struct s) == 8 && u.t.lo == 0xa && u.t.hi == 5);
    END;
}
