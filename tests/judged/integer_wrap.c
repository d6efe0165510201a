#include "judged.h"
int main(void)
{
    int big = 2147483647, small = -2147483647 - 1;
    unsigned u = 0;
    CHECK(big + 1 == small && small - 1 == big && -small == small && u - 1 == 4294967295u);
    CHECK(big * 2 == -2 && small * -1 == small);
    END;
}
