#include "judged.h"
int main(void)
{
    int x = 2147483645 + input();
    CHECK(x + 1 > x || x == 2147483647 || x < 0);
    END;
}
