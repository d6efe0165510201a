#include "judged.h"
#include <errno.h>
#include <math.h>
int main(void)
{
    errno = 0;
#ifdef MODIFIED
    volatile double x = -1.0;
#else
    volatile double x = 1.0;
#endif
    double y = sqrt(x);
    CHECK(errno == 0);
    return y > 5;
}
