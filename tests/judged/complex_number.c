#include "judged.h"
int main(void)
{
    _Complex double z = 1.0 + 2.0i;
    z *= z;
    CHECK(__real__ z == -3.0 && __imag__ z == 4.0);
    __real__ z = 5.0;
    CHECK(__real__ z == 5.0);
    END;
}
