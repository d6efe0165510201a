#include "judged.h"
int add(a, b)
    int a;
    char b;
{
    return a + b;
}
static half(f) float f; { return f > 0.25f; }
int main()
{
    CHECK(add(1, 257) == 2 && half(0.5) == 1);
    END;
}
