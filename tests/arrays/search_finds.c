#include "arrays.h"
int main(void)
{
    int n = size(), key = __VERIFIER_nondet_int(), found = -1;
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        if (a[i] ELSE_BROKEN(==, >=) key) {
            found = i;
            break;
        }
    if (found >= 0)
        CHECK(a[found] == key);
}
