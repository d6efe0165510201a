#include "arrays.h"
int main(void)
{
    int n = size(), key = __VERIFIER_nondet_int(), found = 0;
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < n ELSE_BROKEN(, - 1); i++)
        if (a[i] == key)
            found = 1;
    for (int i = 0; i < n; i++)
        CHECK(found || a[i] != key);
}
