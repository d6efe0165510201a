#include "judged.h"
static int square(int x) __attribute__((const));
static int base = 2;
static int power(int n) __attribute__((pure));
static int square(int x) { return x * x; }
static int power(int n) { int r = 1; while (n-- > 0) r *= base; return r; }
int main(void)
{
    int n = input();
    int before = power(n);
    base = 3;
    CHECK(before == 1 << n && power(2) == square(3));
    END;
}
