#include "judged.h"
int main(void)
{
    double zero = 0.0, inf = 1.0 / zero, nan = zero / zero;
    CHECK(inf > 1e300 && -inf < 0 && nan != nan && !(nan == nan) && 1.0 / -inf == 0.0);
    CHECK(1.0 / (1.0 / -inf) == -inf && !!nan);
    union { double d; unsigned long long bits; } x = { 0.0 / 0.0 }, y = { 1e308 * 10 - 1e308 * 10 };
    static double fixed = 0.0 / 0.0;
    CHECK(x.bits >> 63 == 1 && y.bits >> 63 == 1);
    x.d = fixed, y.d = __builtin_nan("") + 1;
    CHECK(x.bits >> 63 == 0 && y.bits >> 63 == 0);
    END;
}
