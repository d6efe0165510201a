#include "judged.h"
static float half(float x) { return x / 2; }
static double add(double a, int b) { return a + b; }
int main(void)
{
    CHECK(half(3) == 1.5f && add(1, 2.9) == 3.0);
    END;
}
