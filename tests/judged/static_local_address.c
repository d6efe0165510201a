#include "judged.h"
static int *keep;
static int step(int n)
{
    static int s;
    int l = n;
    if (n == 2) keep = &s;
    s += l;
    if (n > 0) step(n - 1);
    return *keep;
}
int main(void)
{
    CHECK(step(2) == 3);
    END;
}
