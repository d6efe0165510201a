#include "judged.h"
static int order;
static int f(int x) { order = order * 10 + x; return x; }
static int sum(int a, int b) { return a + b; }
int main(void)
{
    CHECK(sum(f(1), 2) == 3 && order == 1);
    int a[2] = {0};
    a[f(1)] = 5;
    CHECK(a[1] == 5 && order == 11);
    END;
}
