#include "judged.h"
struct s { int a[2]; int b; };
int main(void)
{
    struct s s = {.a = {1, 2}, .a[1] = 5, .b = 3, .b = 4};
    CHECK(s.a[0] == 1 && s.a[1] == 5 && s.b == 4);
    END;
}
