#include "judged.h"
static int pick(int which, __builtin_va_list list)
{
    while (which-- > 0)
        __builtin_va_arg(list, int);
    return __builtin_va_arg(list, int);
}
static int nth(int which, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, which);
    int found = pick(which, list);
    __builtin_va_end(list);
    return found;
}
int main(void)
{
    CHECK(nth(input() & 1, 7, 7) == 7 && nth(2, 1, 2, 3) == 3);
    END;
}
