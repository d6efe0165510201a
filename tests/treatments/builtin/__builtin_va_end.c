#include <stdarg.h>
extern int printf(const char *, ...);
extern void reach_error(void);

static int sum(int count, ...) {
    va_list list;
    int total = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        total += va_arg(list, int);
#ifdef MODIFIED
    va_end(list);
#endif
    return total;
}

int main(void) {
    int total = sum(3, 1, 2, 3);
    if (total != 6)
        reach_error();
    printf("%d\n", total);
    return 0;
}
