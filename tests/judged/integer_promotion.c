#include "judged.h"
int main(void)
{
    unsigned char a = 255, b = 1;
    signed char c = -1;
    unsigned short s = 65535;
    CHECK(a + b == 256 && (unsigned char)(a + b) == 0 && ~a < 0 && c == -1 && (unsigned)c == 4294967295u);
    CHECK((unsigned)s * s == 4294836225u && s * 1 > 0 && a > c);
    END;
}
