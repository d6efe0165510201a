#include "judged.h"
struct s { unsigned a : 3; unsigned b : 32; unsigned long c : 33; };
int main(void)
{
    struct s s = {1, 1, 1};
    CHECK(s.a - 2 < 0);
    CHECK(s.b - 2 > 0);
    CHECK((s.a = 9) == 1);
    CHECK(s.a++ == 1 && ++s.a == 3);
    END;
}
