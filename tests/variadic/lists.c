/* Variable argument lists in the ways C allows: read, copied, handed on by value and by pointer, of every kind of argument,
   called directly, through a pointer, nested and before the definition. SEVENTH is the value of x that sum gets wrong. */
#include <stdarg.h>
#ifndef SEVENTH
#define SEVENTH 7
#endif
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern long late(int n, ...);

struct pair { int a; char b[13]; };

static int sum(int n, ...)
{
    va_list ap, again;
    int r = 0;
    va_start(ap, n);
    va_copy(again, ap);
    for (int i = 0; i < n; i++)
        r += va_arg(ap, int);
    if (n == 2 && va_arg(again, int) == SEVENTH)
        r += 1000;
    va_end(again);
    va_end(ap);
    return r;
}

static double mix(const char *format, ...)
{
    va_list ap;
    double r = 0;
    va_start(ap, format);
    for (; *format; format++)
        switch (*format) {
        case 'i': r += va_arg(ap, int); break;
        case 'd': r += va_arg(ap, double); break;
        case 's': { struct pair x = va_arg(ap, struct pair); r += x.a + x.b[3]; break; }
        case 'p': r += *va_arg(ap, int *); break;
        case 'l': r += va_arg(ap, long long); break;
        }
    va_end(ap);
    return r;
}

static int first(va_list ap) { return va_arg(ap, int); }
static int through(va_list *ap) { return va_arg(*ap, int); }

static int digits(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    int x = through(&ap), y = va_arg(ap, int), z = first(ap);
    va_end(ap);
    return x * 100 + y * 10 + z;
}

int main(void)
{
    int x = __VERIFIER_nondet_int(), nine = 9;
    if (x < 0 || x > 10)
        return 0;
    int (*either)(int, ...) = x > 3 ? sum : digits;
    int lent = x;
    struct pair v = { 5, "abcdef" };
    if (mix("idsplp", 1, 2.5f, v, &nine, 40LL, &lent) != 1 + 2.5 + 5 + 'd' + 9 + 40 + x)
        reach_error();
    if (sum(3, x, 2, 3) != x + 5)
        reach_error();
    if (digits(3, 3, 4, 5) != 345)
        reach_error();
    if (either(3, x, 1, 2) != (x > 3 ? x + 3 : x * 100 + 12))
        reach_error();
    if (sum(2, sum(1, x), sum(0)) != x + (x == 7 ? 1000 : 0))
        reach_error();
    if (late(2, (short) x, -1L) != x - 1)
        reach_error();
    return 0;
}

long late(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    long r = va_arg(ap, int);
    r += va_arg(ap, long);
    va_end(ap);
    return r;
}
