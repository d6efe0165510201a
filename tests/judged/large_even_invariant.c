#include "judged.h"
/* The loop is too long to be unrolled. */
int main(void)
{
    unsigned x = 0;
    int more = input();
    while (x < 1000000) {
        x += 2;
        if (x > 20 && more) break;
    }
    CHECK(x % 2 == 0);
    END;
}
