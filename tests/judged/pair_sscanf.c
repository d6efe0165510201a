#include "judged.h"
#include <stdio.h>
int main(void)
{
    int x = 0, y = 0;
#ifdef MODIFIED
    sscanf("7", "%d", &y);
#else
    sscanf("7", "%d", &x);
#endif
    CHECK(y == 0);
    return 0;
}
