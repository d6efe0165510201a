#include "judged.h"
static int v[4] = {1, 2, 3, 4};
static int *p = v + 1, *q = &v[3];
static long distance = sizeof v;
static int (*rows)[2] = (int (*)[2])v;
int main(void)
{
    CHECK(*p == 2 && q - p == 2 && distance == 16 && rows[1][0] == 3);
    END;
}
