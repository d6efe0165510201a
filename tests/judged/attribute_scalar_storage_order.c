#include "judged.h"
struct __attribute__((scalar_storage_order("big-endian"))) wire { unsigned short length; unsigned int sum; };
int main(void)
{
    struct wire w;
    unsigned char *p = (unsigned char *)&w;
    w.length = 0x0102;
    CHECK(p[0] == 1 && p[1] == 2);
    END;
}
