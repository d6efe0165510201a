#include "judged.h"
int main(void)
{
    int x = 1;
#ifdef MODIFIED
    __asm__ goto("jmp %l0" : : : : two);
#else
    __asm__ goto("jmp %l0" : : : : one);
#endif
one:
    return 0;
two:
    CHECK(x == 2);
    return 0;
}
