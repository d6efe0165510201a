#include "judged.h"
int main(void)
{
    int x = input() - 2;
    CHECK(__builtin_abs(x) == (x < 0 ? -x : x));
    CHECK(__builtin_labs(-5L) == 5 && __builtin_llabs(-7LL) == 7);
    END;
}
