#include "judged.h"
union bits { double d; unsigned long long bits; };
int main(void)
{
    union bits x = { 0.0 / 0.0 }, y = { 1e308 * 10 - 1e308 * 10 };
    static double fixed = 0.0 / 0.0;
    CHECK(x.bits >> 63 == 1 && y.bits >> 63 == 1);
    x.d = fixed, y.d = __builtin_nan("") + 1;
    CHECK(x.bits >> 63 == 0 && y.bits >> 63 == 0);
    y.d = -y.d;
    CHECK(y.bits >> 63 == 1 && y.bits << 1 > 0xffe0000000000000);
    END;
}
