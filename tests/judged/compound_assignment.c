#include "judged.h"
int main(void)
{
    unsigned char c = 200;
    int i = 10;
    c += 100;
    i /= 2.5;
    CHECK(c == 44 && i == 4);
    i <<= 2; i |= 1; i ^= 3; i %= 7; i -= -1;
    CHECK(i == 5);
    c = 250; c *= 1.1;
    CHECK(c == 19 || c == 275 - 256);
    END;
}
