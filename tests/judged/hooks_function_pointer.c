#include "judged.h"
extern int atexit(void (*)(void));
static int order;
static void twice(void) { order = order * 2; }
static void plus(void) { order = order + 3; }
static void end(void) { CHECK(order == 5 || order == 8); END; }
static void (*const table[])(void) = {twice, plus};
int main(void)
{
    int first = input() & 1;
    order = 1;
    atexit(end);
    CHECK(atexit(table[first]) == 0);
    for (int i = 0; i < 1; i++)
        atexit(table[!first]);
    return 0;
}
