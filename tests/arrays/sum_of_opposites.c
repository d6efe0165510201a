#include "arrays.h"
int main(void)
{
    int n = size();
    int a[n], b[n], c[n];
    for (int i = 0; i < n; i++) {
        int x = __VERIFIER_nondet_int();
        if (x < -1000 || x > 1000)
            abort();
        a[i] = x;
        b[i] = -x;
    }
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[ELSE_BROKEN(i, 0)];
    for (int i = 0; i < n; i++)
        CHECK(c[i] == 0);
}
