#include "judged.h"
static int table[4] = {1, 2, 3, 4};
int main(void)
{
    int *p = __builtin_assume_aligned(table, 4);
    CHECK(p[2] == 3);
    END;
}
