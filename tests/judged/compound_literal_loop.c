#include "judged.h"
int main(void)
{
    int *last = 0, i = 0;
again:;
    int *p = (int[]){i};
    if (i == 0) { *p += 5; last = p; i++; goto again; }
    CHECK(p == last && *p == 1);
    END;
}
