#include "judged.h"
union u { int i; unsigned char b[4]; float f; };
int main(void)
{
    union u u;
    u.f = 1.0f;
    CHECK(u.i == 0x3f800000 && u.b[3] == 0x3f);
    u.b[3] = 0xc0;
    CHECK(u.f == -4.0f);
    END;
}
