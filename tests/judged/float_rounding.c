#include "judged.h"
int main(void)
{
    float f = 16777216.0f;
    double d = 0.1;
    CHECK(f + 1.0f == f && 0.1 + 0.2 != 0.3 && (float)d != d);
    CHECK((int)2.9 == 2 && (int)-2.9 == -2 && (unsigned char)200.7 == 200);
    CHECK(1.0 / 3.0 * 3.0 == 1.0 && (float)16777217 == 16777216.0f);
    END;
}
