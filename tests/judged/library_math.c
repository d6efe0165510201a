#include "judged.h"
#include <math.h>
int main(void)
{
    volatile double four = 4.0;
    CHECK(sqrt(four) == 2.0 && fabs(-1.5) == 1.5 && floor(-1.5) == -2.0 && ceil(1.2) == 2.0 && trunc(-1.7) == -1.0);
    CHECK(fmax(1.0, 2.0) == 2.0 && copysign(1.0, -0.0) == -1.0 && isnan(NAN) && !isfinite(INFINITY));
    END;
}
