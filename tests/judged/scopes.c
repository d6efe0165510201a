#include "judged.h"
static int x = 1;
static int get(void) { return x; }
int main(void)
{
    int y = x;
    int x = 2;
    for (int x = 3; x < 4; x++) { int x = 9; y += x; }
    { extern int get2(void); CHECK(x == 2); }
    CHECK(get() == 1 && y == 10);
    END;
}
