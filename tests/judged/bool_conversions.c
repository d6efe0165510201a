#include "judged.h"
int main(void)
{
    _Bool a = 0.1, b = (_Bool)"", c = 2 == 2;
    int *p = 0;
    _Bool d = p;
    CHECK(a && b && c && !d && a + b + c == 3 && sizeof a == 1 && (a ^ 1) == 0);
    END;
}
