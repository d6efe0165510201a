#include "judged.h"
int main(void)
{
    int x = 1;
    goto inside;
    {
        int y;
        x = 100;
    inside:
        y = x + 1;
        CHECK(y == 2);
    }
    while (x < 5) {
        if (x == 3) goto out;
        x++;
    }
out:
    CHECK(x == 3);
    END;
}
