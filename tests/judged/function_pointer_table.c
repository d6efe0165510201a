#include "judged.h"
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int (*const table[])(int, int) = {add, sub, mul};
int main(void)
{
    int i = input();
    if (i == 3) return 0;
    int r = table[i](7, 2);
    CHECK(r == (i == 0 ? 9 : i == 1 ? 5 : 14));
    END;
}
