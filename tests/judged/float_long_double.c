#include "judged.h"
int main(void)
{
    long double l = 1.0L;
    l /= 4;
    CHECK(l == 0.25 && (double)l == 0.25 && (long)(l * 8) == 2);
    END;
}
