#include "judged.h"
static struct { unsigned a : 4, b : 4; } g;
int main(void)
{
    unsigned char *p = (unsigned char *)&g;
#ifdef MODIFIED
    *p = 0x10;
#else
    *p = 0x01;
#endif
    CHECK(g.b == 0);
    return 0;
}
