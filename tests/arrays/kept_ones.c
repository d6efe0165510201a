#include "arrays.h"
int main(void)
{
    int n = size(), kept = 0;
    int a[n], b[n];
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        if (a[i] ELSE_BROKEN(>, >=) 0)
            b[kept++] = a[i];
    for (int i = 0; i < kept; i++)
        CHECK(b[i] > 0);
}
