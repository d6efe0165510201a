#include "arrays.h"
static void fill(int *a, int n, int value)
{
    for (int i = 0; i < n; i++)
        a[i] = value;
}
static void check(const int *a, int n, int value)
{
    for (int i = 0; i < n; i++)
        CHECK(a[i] == value);
}
int main(void)
{
    int n = size(), value = __VERIFIER_nondet_int();
    int a[n], b[n];
    fill(a, n, value);
    fill(b, n, ELSE_BROKEN(value, 1));
    check(a, n, value);
    check(b, n, value);
}
