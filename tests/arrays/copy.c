#include "arrays.h"
int main(void)
{
    int n = size();
    int a[n], b[n];
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = ELSE_BROKEN(0, 1); i < n; i++)
        b[i] = a[i];
    ELSE_BROKEN(, b[0] = 1;)
    for (int i = 0; i < n; i++)
        CHECK(a[i] == b[i]);
}
