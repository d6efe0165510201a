#include "judged.h"
/* A lock that is taken and released in turn, for as long as the environment wants. */
int main(void)
{
    int lock = 0, old, count = 0;
    for (;;) {
        old = count;
        if (lock) break;
        lock = 1;
        if (__VERIFIER_nondet_int() > 1) {
            lock = 0;
            count++;
        }
        if (count == old) break;
        if (count == 2) break;
    }
    CHECK(count == 2 || lock == 1);
    END;
}
