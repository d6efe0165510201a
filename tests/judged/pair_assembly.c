#include "judged.h"
int main(void)
{
    int x = 1;
#ifdef MODIFIED
    __asm__("movl $2, %0" : "=r"(x));
#else
    __asm__("movl $1, %0" : "=r"(x));
#endif
    CHECK(x == 1);
    return 0;
}
