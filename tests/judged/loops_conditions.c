#include "judged.h"
int main(void)
{
    int i = 10, n = 0;
    while (i --> 0) n++;
    do n++; while (n < 5);
    for (;;) { if (++n > 20) break; }
    CHECK(i == -1 && n == 21);
    END;
}
