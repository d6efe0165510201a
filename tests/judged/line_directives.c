#include "judged.h"
# 100 "generated/*.c"
int main(void)
{
    int line = __LINE__;
#line 7 "other.c"
    int seven = __LINE__;
    CHECK(line == 102 && seven == 7);
    END;
}
