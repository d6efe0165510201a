#include "judged.h"
struct point { short x, y; };
static struct point grid[2][3] = {{{1, 2}, {3, 4}}, [1][2] = {5, 6}};
int main(void)
{
    struct point *p = &grid[0][0];
    p++->x += 10;
    CHECK(grid[0][0].x == 11 && p->y == 4 && (&grid[1][2] - p) == 4 && grid[1][2].y == 6);
    END;
}
