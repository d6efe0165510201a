#include "judged.h"
enum { A, B = 5, C, D = -3, E, F = B * 2 };
enum big { LARGE = 0x80000000 };
int main(void)
{
    enum big x = LARGE;
    CHECK(A == 0 && C == 6 && E == -2 && F == 10);
    CHECK(sizeof(enum big) == 4 && x > 0);
    END;
}
