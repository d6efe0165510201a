#include "judged.h"
static int calls;
static int next(int by) { calls += by; return by; }
int main(void)
{
    if (__builtin_expect(next(1) == 1, next(10) == 2))
        calls += 100;
    CHECK(calls == 111);
    __builtin_prefetch((next(1), &calls));
    CHECK(calls == 112);
    END;
}
