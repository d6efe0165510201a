#include "judged.h"
#include <stdlib.h>
static const int bases[4] = { 1, -1, 37, 0 };
int main(void)
{
    char text[] = " -0x1g", *end = text, *same = text;
    int which = input();
    long value = strtol(text, &end, bases[which]);
    CHECK(which == 3 ? value == -1 && end == text + 5 : value == 0 && end == same);
    end = text + 2;
    CHECK(strtoul(text, &end, 1) == 0 && end == text + 2);
    CHECK(strtoull("-1z", &end, 36) == -71ULL && *end == 0 && strtoll("0x", &end, 16) == 0 && *end == 'x');
    CHECK(strtol("-", &end, 10) == 0 && *end == '-' && strtol("99", 0, 40) == 0);
    END;
}
