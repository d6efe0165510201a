#include "judged.h"
static void set(int **p, int *to) { *p = to; }
int main(void)
{
    int x = 1, y = 2, *p = &x;
    set(&p, &y);
    **&p = 7;
    CHECK(x == 1 && y == 7);
    END;
}
