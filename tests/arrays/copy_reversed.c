#include "arrays.h"
int main(void)
{
    int n = size();
    int a[n], b[n];
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        b[n - 1 - i] = a[i];
    for (int i = 0; i < n; i++)
        CHECK(b[i] == a[ELSE_BROKEN(n - 1 - i, i)]);
}
