#include "judged.h"
#include <stdlib.h>
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
    int v[4] = {3, 1, 4, 2};
    qsort(v, 4, sizeof *v, order);
    CHECK(v[0] == 1 && v[3] == 4);
    END;
}
