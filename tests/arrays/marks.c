#include "arrays.h"
int main(void)
{
    int n = size(), ok = 1;
    int a[n], negative[n];
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        if (a[i] ELSE_BROKEN(<, <=) 0)
            negative[i] = 1;
        else
            negative[i] = 0;
    for (int i = 0; i < n; i++)
        if ((a[i] < 0) != negative[i])
            ok = 0;
    CHECK(ok);
}
