#include "arrays.h"
int main(void)
{
    int n = size(), best = 0;
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 1; i < n; i++)
        if (a[i] > a[best])
            best = ELSE_BROKEN(i, i - 1);
    for (int i = 0; i < n; i++)
        CHECK(a[i] <= a[best]);
}
