#include "arrays.h"
static int a[100000], b[100000], c[100000], d[100000];
int main(void)
{
    int n = size();
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        b[i] = a[i];
    for (int i = 0; i < n; i++)
        c[i] = b[i];
    for (int i = 0; i < n ELSE_BROKEN(, - 1); i++)
        d[i] = c[i];
    for (int i = 0; i < n; i++)
        CHECK(d[i] == a[i]);
}
