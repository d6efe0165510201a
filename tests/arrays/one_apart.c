#include "arrays.h"
int main(void)
{
    int n = size(), p = __VERIFIER_nondet_int();
    if (p < 0 || p >= n)
        abort();
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = 0;
    a[p] = 5;
    for (int i = 0; i < n; i++)
        CHECK(a[i] == 0 || ELSE_BROKEN(i == p, i == 0));
}
