#include "judged.h"
int main(void)
{
    int x = 0x12345678;
    short s = x;
    signed char c = x;
    unsigned char u = -1;
    _Bool b = 256;
    CHECK(s == 0x5678 && c == 0x78 && u == 255 && b == 1);
    c = 128;
    CHECK(c == -128 && (char)300 == 44);
    END;
}
