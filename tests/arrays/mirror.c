#include "arrays.h"
int a[100000];
int main(void)
{
    int n = size();
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < n / 2; i++)
        a[i] = a[n - 1 - i];
    for (int i = 0; i < n / 2; i++)
        CHECK(a[i] == a[ELSE_BROKEN(n - 1 - i, n - i)]);
}
