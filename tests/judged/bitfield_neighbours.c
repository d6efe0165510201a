#include "judged.h"
struct s { unsigned char a : 4, b : 4; unsigned short c : 5, d : 11; };
static struct s g;
int main(void)
{
    g.b = 15;
    g.a = input();
    g.d = 2047;
    g.c += 3;
    CHECK(g.b == 15 && g.a < 4 && g.d == 2047 && g.c == 3);
    END;
}
