#include "judged.h"
static int sign(int x)
{
    if (x < 4) return 1;
    __builtin_unreachable();
}
int main(void)
{
    CHECK(sign(input()) == 1);
    END;
}
