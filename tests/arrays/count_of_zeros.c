#include "arrays.h"
int main(void)
{
    int n = size();
    int a[n];
    unsigned zeros = 0;
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = ELSE_BROKEN(0, 1); i < n; i++)
        if (a[i] == 0)
            zeros++;
    if (zeros == 0)
        for (int i = 0; i < n; i++)
            CHECK(a[i] != 0);
}
