#include "arrays.h"
int main(void)
{
    int n = size(), m = __VERIFIER_nondet_int();
    if (m < 0 || m > n)
        abort();
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = 1;
    for (int i = 0; i < m; i++)
        a[i] = 2;
    for (int i = 0; i < n; i++)
        CHECK(a[i] == (i ELSE_BROKEN(<, <=) m ? 2 : 1));
}
