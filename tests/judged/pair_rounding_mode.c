#include "judged.h"
#include <fenv.h>
int main(void)
{
    volatile double one = 1.0, three = 3.0;
#ifdef MODIFIED
    fesetround(FE_UPWARD);
#else
    fesetround(FE_TONEAREST);
#endif
    double d = one / three;
    CHECK(d * 3.0 <= 1.0);
    return 0;
}
