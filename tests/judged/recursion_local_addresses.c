#include "judged.h"
static int deep(int n, int *up)
{
    int mine = n;
    if (n == 0) { *up = 9; return mine; }
    int r = deep(n - 1, &mine);
    return r * 100 + mine * 10 + n;
}
int main(void)
{
    int top = 1;
    CHECK(deep(0, &top) == 0 && top == 9);
    CHECK(deep(1, &top) == 91 && deep(2, &top) == 9122 && top == 9);
    END;
}
