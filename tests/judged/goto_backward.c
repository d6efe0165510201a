#include "judged.h"
int main(void)
{
    int n = input(), i = 0, sum = 0;
again:
    if (i < n) {
        sum += i++;
        goto again;
    }
    CHECK(sum == n * (n - 1) / 2);
    END;
}
