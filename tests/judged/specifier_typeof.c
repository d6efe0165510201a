#include "judged.h"
int main(void)
{
    unsigned char c = 250;
    __typeof__(c) d = 10;
    typeof(c + d) e = c + d;
    d += c;
    CHECK(d == 4 && e == 260 && sizeof(typeof(int[3])) == 12);
    END;
}
