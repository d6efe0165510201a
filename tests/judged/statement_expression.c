#include "judged.h"
int main(void)
{
    int x = input();
    int y = ({ int t = x * 2; if (t > 2) t = 2; t; });
    y += ({ x++; x; });
    CHECK(y == (x > 1 ? (2 * (x - 1) > 2 ? 2 : 2 * (x - 1)) : 0) + x);
    END;
}
