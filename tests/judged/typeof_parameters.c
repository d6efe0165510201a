#include "judged.h"
static int sum(short a, typeof(a) b, typeof(b) *c, __typeof__(c) *d, char e[sizeof(a)]) { return a + b + *c + **d + e[1]; }
static int first(int n, int a[n], typeof(a[0]) x) { return a[n - 1] + x; }
static int apply(int (*f)(int a, typeof(a) b), int a) { return f(a, 2); }
static int plus(int a, int b) { return a + b; }
int main(void)
{
    short number = input(), *pointer = &number;
    int array[2] = { 5, 6 }, result = sum(1, 2, &number, &pointer, "ab");
    CHECK(result == 3 + 2 * number + 'b');
    result = first(2, array, number);
    CHECK(result == 6 + number);
    result = apply(plus, number);
    CHECK(result == number + 2);
    END;
}
