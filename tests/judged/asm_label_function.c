#include "judged.h"
int outside(void) __asm__("inside");
int inside_c(void) __asm__("inside");
int inside_c(void) { return 6; }
int main(void)
{
    CHECK(outside() == 6);
    END;
}
