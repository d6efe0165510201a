#include "arrays.h"
static int a[100000], b[100000], old_a[100000], old_b[100000];
int main(void)
{
    int n = size();
    for (int i = 0; i < n; i++) {
        old_a[i] = a[i] = __VERIFIER_nondet_int();
        old_b[i] = b[i] = __VERIFIER_nondet_int();
    }
    for (int i = 0; i < n; i++) {
        int kept = a[i];
        a[i] = b[i];
        b[i] = ELSE_BROKEN(kept, a[i]);
    }
    for (int i = 0; i < n; i++)
        CHECK(a[i] == old_b[i] && b[i] == old_a[i]);
}
