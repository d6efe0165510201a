#include "judged.h"
int main(void)
{
    CHECK(0x1.8p1 == 3.0 && 1e3 == 1000.0 && .5f == 0.5 && 0.1f != 0.1);
    CHECK(sizeof(1.0f) == 4 && sizeof(1.0) == 8 && sizeof(1.0L) == 16);
    END;
}
