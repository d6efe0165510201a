#include "judged.h"
struct pair { int a, b; };
static long mixed(const char *kinds, ...)
{
    __builtin_va_list list, again;
    long total = 0;
    __builtin_va_start(list, kinds);
    __builtin_va_copy(again, list);
    for (; *kinds; kinds++) {
        if (*kinds == 'i') total += __builtin_va_arg(list, int);
        if (*kinds == 'l') total += __builtin_va_arg(list, long);
        if (*kinds == 'd') total += (long)__builtin_va_arg(list, double);
        if (*kinds == 's') total += __builtin_va_arg(list, struct pair).b;
    }
    total += 100 * __builtin_va_arg(again, int);
    __builtin_va_end(list);
    __builtin_va_end(again);
    return total;
}
int main(void)
{
    struct pair p = {1, 20};
    CHECK(mixed("ilds", 1, 5L, 7.9, p) == 133);
    END;
}
