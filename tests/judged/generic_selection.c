#include "judged.h"
#define KIND(x) _Generic((x), int: 1, unsigned: 2, long: 3, char *: 4, const char *: 5, double: 6, default: 0)
int main(void)
{
    const char *s = "";
    char c = 1;
    CHECK(KIND(1) == 1 && KIND(1u) == 2 && KIND(c) == 0 && KIND(c + c) == 1 && KIND("x") == 4 && KIND(s) == 5);
    CHECK(KIND(1.0f + 1.0) == 6 && KIND(1 ? 1 : 1L) == 3);
    END;
}
