#include "judged.h"
int main(void)
{
    int x = input();
    float f = x / 2.0f;
    double d = f;
    CHECK(d * 2 == x && (f < 1.0f) == (x < 2));
    END;
}
