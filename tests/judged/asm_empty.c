#include "judged.h"
int main(void)
{
    int x = input(), y = x;
    __asm__ volatile("" : "+r"(x) : : "memory");
    CHECK(x == y);
    END;
}
