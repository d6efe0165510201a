#include "judged.h"
int main(void)
{
    unsigned n = (unsigned)__VERIFIER_nondet_int(), i = 0, j = 0;
    if (n > 3) abort();
    while (i < n) { i++; j += 2; }
    CHECK(j == 2 * i && i == n);
    END;
}
