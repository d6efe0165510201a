#include "judged.h"
struct p { int x, y; };
struct s { int a; struct p p[3]; int z; };
int main(void)
{
    struct s s = {.p[1] = {4, 5}, .p[2].y = 6, 7, .a = 1};
    int a[6] = {[2] = 3, 4, [0] = 1};
    CHECK(s.a == 1 && s.p[1].y == 5 && s.p[2].x == 0 && s.p[2].y == 6 && s.z == 7);
    CHECK(a[0] == 1 && a[1] == 0 && a[2] == 3 && a[3] == 4 && a[5] == 0);
    END;
}
