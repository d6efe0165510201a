#include "judged.h"
static int sum(int n, ...)
{
    __builtin_va_list l;
    int r = 0;
    __builtin_va_start(l, n);
    while (n--) r += *__builtin_va_arg(l, int *);
    __builtin_va_end(l);
    return r;
}
static int a = 1, b = 2, c = 3;
int main(void)
{
#ifdef MODIFIED
    int r = sum(2, &a, &c);
#else
    int r = sum(2, &a, &b);
#endif
    CHECK(r == 3);
    return 0;
}
