#include "judged.h"
struct s { unsigned b : 3; long c : 40; } s;
int main(void)
{
    int x = 1;
    unsigned long n = sizeof(x++);
    CHECK(x == 1 && n == 4 && sizeof "abc" == 4 && sizeof(s.b + 0) == 4 && s.b == 0);
    END;
}
