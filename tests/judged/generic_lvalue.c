#include "judged.h"
int main(void)
{
    int a = 1;
    long b = 2;
    _Generic(a, int: a, default: b) = 5;
    CHECK(a == 5 && b == 2);
    END;
}
