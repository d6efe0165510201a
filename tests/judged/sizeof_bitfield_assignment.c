#include "judged.h"
struct s { unsigned b : 3; long c : 40; } s;
int main(void)
{
    CHECK(sizeof(s.b = 1) == 1 && s.b == 0);
    END;
}
