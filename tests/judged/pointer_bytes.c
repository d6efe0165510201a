#include "judged.h"
int main(void)
{
    unsigned x = 0x01020304;
    unsigned char *p = (unsigned char *)&x;
    p[0] = 0xff;
    *(unsigned short *)(p + 2) = 0xabcd;
    CHECK(x == 0xabcd03ff);
    END;
}
