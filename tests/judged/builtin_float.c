#include "judged.h"
int main(void)
{
    double nan = __builtin_nan(""), inf = __builtin_inf();
    CHECK(nan != nan && !(nan < inf) && inf > 1e308 && __builtin_isnan(nan) && !__builtin_isfinite(inf));
    CHECK(__builtin_isinf_sign(-inf) == -1 && __builtin_signbit(-0.0) && __builtin_fabs(-2.5) == 2.5);
    CHECK(__builtin_isless(1.0, 2.0) && !__builtin_isgreater(nan, 1.0) && __builtin_isunordered(nan, 1.0));
    END;
}
