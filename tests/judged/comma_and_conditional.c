#include "judged.h"
static int calls;
static int f(int r) { calls++; return r; }
int main(void)
{
    int x = (f(1), f(2), 5);
    int y = f(0) ? f(1) : f(2);
    int z = f(3) ?: f(4);
    CHECK(x == 5 && y == 2 && z == 3 && calls == 5);
    END;
}
