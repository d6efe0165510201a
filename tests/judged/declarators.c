#include "judged.h"
typedef int (*unary)(int);
static int inc(int x) { return x + 1; }
static unary table[2] = {inc, inc};
static unary *pick(void) { return table; }
static int (*(*get)(void))(int) = (int (*(*)(void))(int))pick;
int main(void)
{
    int (*(*p)[2])(int) = &table;
    CHECK((*p)[1](3) == 4 && pick()[0](4) == 5 && get != 0);
    END;
}
