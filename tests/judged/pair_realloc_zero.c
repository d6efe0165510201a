#include "judged.h"
#include <stdlib.h>
int main(void)
{
    int *p = malloc(4);
#ifdef MODIFIED
    int *q = realloc(p, 0);
#else
    int *q = realloc(p, 8);
#endif
    CHECK(q != 0);
    return 0;
}
