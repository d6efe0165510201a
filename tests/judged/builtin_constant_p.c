#include "judged.h"
static int value = 3;
int main(void)
{
    CHECK(__builtin_constant_p(3 + 4) == 1);
    CHECK(__builtin_constant_p(value) == 0);
    CHECK(__builtin_constant_p("text") == 1);
    END;
}
