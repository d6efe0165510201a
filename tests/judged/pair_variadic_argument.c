#include "judged.h"
static int second(int n, ...)
{
    __builtin_va_list l;
    __builtin_va_start(l, n);
    int r = __builtin_va_arg(l, int);
    __builtin_va_end(l);
    return r;
}
#ifdef MODIFIED
#define V 6
#else
#define V 5
#endif
int main(void) { CHECK(second(1, V) == 5); return 0; }
