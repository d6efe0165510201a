#include "judged.h"
static int sum(int n, ...)
{
    __builtin_va_list list;
    int total = 0;
    __builtin_va_start(list, n);
    while (n-- > 0)
        total += __builtin_va_arg(list, int);
    __builtin_va_end(list);
    return total;
}
int main(void)
{
    CHECK(sum(0) == 0 && sum(3, 1, 2, 3) == 6 && sum(8, 1, 1, 1, 1, 1, 1, 1, 1) == 8);
    END;
}
