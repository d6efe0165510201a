#include "judged.h"
#include <stdio.h>
int main(void)
{
    char b[8];
    int n = snprintf(b, sizeof b, "%d", 123);
    CHECK(n == 3 && b[0] == '1' && b[3] == 0);
    END;
}
