#include "judged.h"
__attribute__((weak)) int level = 3;
__attribute__((weak)) int height(void) { return level + 1; }
extern int missing(void) __attribute__((weak));
int main(void)
{
    CHECK(height() == 4);
    CHECK(missing == 0);
    END;
}
