#include "arrays.h"
struct point { int x, y; };
int main(void)
{
    int n = size();
    struct point p[n];
    for (int i = 0; i < n; i++) {
        p[i].x = i;
        p[i].y = ELSE_BROKEN(-i, i);
    }
    for (int i = 0; i < n; i++)
        CHECK(p[i].x + p[i].y == 0);
}
