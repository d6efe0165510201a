#include "arrays.h"
/* Two indices run side by side, one of them three times as fast. */
int main(void)
{
    int n = size();
    int a[n], b[n], i, j = 0;
    for (i = 0; i < n; i++)
        b[i] = __VERIFIER_nondet_int();
    for (i = 1; i < n; i += 3) {
        a[j] = b[i];
        j++;
    }
    j = 0;
    for (i = 1; i < n; i += 3) {
        CHECK(a[j] == b[ELSE_BROKEN(3 * j + 1, 3 * j)]);
        j++;
    }
}
