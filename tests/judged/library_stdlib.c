#include "judged.h"
#include <stdlib.h>
int main(void)
{
    div_t d = div(7, 2);
    CHECK(d.quot == 3 && d.rem == 1 && atoi("42x") == 42 && strtol("ff", 0, 16) == 255);
    END;
}
