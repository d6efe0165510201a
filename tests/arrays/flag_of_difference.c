#include "arrays.h"
/* A flag says whether two arrays are the same. */
int main(void)
{
    int n = size();
    int a[n], b[n], same = 1;
    for (int i = 0; i < n; i++) {
        a[i] = __VERIFIER_nondet_int();
        b[i] = __VERIFIER_nondet_int();
    }
    for (int i = 0; i < n; i++)
        if (a[i] != b[i])
            same = ELSE_BROKEN(0, i == 0);
    if (same)
        for (int i = 0; i < n; i++)
            CHECK(a[i] == b[i]);
}
