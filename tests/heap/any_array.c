#include "heap.h"
int main(void)
{
    unsigned n = __VERIFIER_nondet_int();
    if (n == 0 || n > 1000000)
        abort();
    int *a = malloc(n * sizeof(int));
    for (unsigned i = 0; i < n; i++) {
        a[i] = i ELSE_BROKEN(, - (i == 2));
        CHECK(a[i] == (int)i);
    }
    free(a);
}
