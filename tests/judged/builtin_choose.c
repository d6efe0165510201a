#include "judged.h"
int main(void)
{
    int x = 0;
    int y = __builtin_choose_expr(sizeof(long) == 8, 4, x++);
    CHECK(y == 4 && x == 0);
    CHECK(__builtin_types_compatible_p(int, signed int) && !__builtin_types_compatible_p(int, long));
    END;
}
