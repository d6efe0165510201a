#include "judged.h"
static char array[4];
int main(void)
{
    CHECK(__builtin_constant_p("abc") && __builtin_constant_p((long)"abc") && __builtin_constant_p((char *)(long)"abc"));
    CHECK(__builtin_constant_p(&"abc"[0]) && __builtin_constant_p((unsigned long)&"abc") && __builtin_constant_p(L"abc"));
    CHECK(!__builtin_constant_p(&"abc"[1]) && !__builtin_constant_p((short)(long)"abc") && !__builtin_constant_p((long)&array));
    CHECK(__builtin_constant_p(input() > 4 ? "a" : "b") == 0);
    END;
}
