#include "judged.h"
static unsigned long length(void) { return sizeof(__func__) + (__func__[0] == 'l'); }
int main(void)
{
    CHECK(__STDC__ == 1 && __INT_MAX__ == 2147483647 && __CHAR_BIT__ == 8 && __SIZEOF_POINTER__ == 8);
    CHECK(length() == 8 && __COUNTER__ == 0 && __COUNTER__ == 1);
    END;
}
