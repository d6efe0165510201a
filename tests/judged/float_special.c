#include "judged.h"
int main(void)
{
    double zero = 0.0, inf = 1.0 / zero, nan = zero / zero;
    CHECK(inf > 1e300 && -inf < 0 && nan != nan && !(nan == nan) && 1.0 / -inf == 0.0);
    CHECK(1.0 / (1.0 / -inf) == -inf && !!nan);
    END;
}
