#include "judged.h"
static int calls;
static int next(void) { return ++calls; }
int main(void)
{
    int a[5] = {[0 ... 2] = next(), [4] = 9};
    int b[2][2] = {[1] = {5, 6}};
    CHECK(calls == 1 && a[0] == 1 && a[2] == 1 && a[3] == 0 && a[4] == 9);
    CHECK(b[0][1] == 0 && b[1][1] == 6);
    END;
}
