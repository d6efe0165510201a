#include "judged.h"
int main(void)
{
#ifdef MODIFIED
    _Complex double z = 1.0 + 3.0i;
#else
    _Complex double z = 1.0 + 2.0i;
#endif
    CHECK(__imag__ z == 2.0);
    return 0;
}
