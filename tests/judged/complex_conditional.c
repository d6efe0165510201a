#include "judged.h"
int main(void)
{
    int n = input();
    float _Complex narrow = 1;
    _Complex double z = (n ? 7 : 2.0i) + (n ? narrow : 1.0) + (n > 1 ? 3 : 2.0i);
    CHECK(sizeof(n ? narrow : 1.0) == sizeof z && sizeof(n ? narrow : 'a') == sizeof narrow);
    CHECK(__real__ z == (n > 1 ? 11 : n ? 8 : 1) && __imag__ z == (n > 1 ? 0 : n ? 2 : 4));
    END;
}
