#include "judged.h"
__attribute__((unused)) static int spare(void) { return 1; }
__attribute__((noinline, cold, used)) static int slow(int x __attribute__((unused))) { return 2; }
static inline __attribute__((always_inline)) int fast(int x) { return x + slow(x); }
int main(void)
{
    int y __attribute__((unused)) = 3;
    CHECK(fast(y) == 5);
    END;
}
