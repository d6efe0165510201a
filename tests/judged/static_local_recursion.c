#include "judged.h"
static int depth(int n)
{
    static int seen = 10;
    int mine = seen++;
    if (n > 0)
        depth(n - 1);
    return mine * 100 + seen;
}
int main(void)
{
    CHECK(depth(2) == 1013);
    CHECK(depth(0) == 1314);
    END;
}
