#include "judged.h"
int main(void)
{
    unsigned n = 1000, i, sum = 0;
    for (i = 0; i < n; i++)
        sum += i & 1 ? 2 : 0;
    CHECK(sum == 1000 && sum % 2 == 0);
    END;
}
