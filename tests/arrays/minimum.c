#include "arrays.h"
int main(void)
{
    int n = size();
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    int least = a[0];
    for (int i = 1; i < n; i++)
        if (a[i] < least)
            least = a[i] ELSE_BROKEN(, + 1);
    for (int i = 0; i < n; i++)
        CHECK(least <= a[i]);
}
