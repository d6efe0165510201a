#include "judged.h"
union u { unsigned w; unsigned short h[2]; };
int main(void)
{
    union u u = {0x10002};
#ifdef MODIFIED
    u.h[0] = 0;
#else
    u.h[1] = 0;
#endif
    CHECK(u.w < 0x10000);
    return 0;
}
