#include "judged.h"
int main(void)
{
    int x = 0, y = 500, n = 1000;
    while (x < n) {
        x++;
        if (x > 500) y++;
    }
    CHECK(y == n);
    END;
}
