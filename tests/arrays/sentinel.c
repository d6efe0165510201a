#include "arrays.h"
/* What was put somewhere ends a search. */
int main(void)
{
    int n = size(), at = __VERIFIER_nondet_int(), wanted = __VERIFIER_nondet_int();
    if (at < 0 || at >= n)
        return 0;
    int a[n], i = 0;
    for (int k = 0; k < n; k++)
        a[k] = __VERIFIER_nondet_int();
    a[at] = wanted;
    while (a[i] != wanted)
        i++;
    CHECK(i ELSE_BROKEN(<=, <) at);
}
