#include "judged.h"
static int calls;
static int f(int r) { calls++; return r; }
int main(void)
{
    int x = input();
    int a = f(x) && f(1);
    int b = f(0) || f(0);
    CHECK(a == (x != 0) && b == 0 && calls == (x ? 4 : 3));
    END;
}
