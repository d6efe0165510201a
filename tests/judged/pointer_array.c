#include "judged.h"
int main(void)
{
    int a = 1, b = 2, *v[2] = {&a, &b}, (*w)[2] = &(int[2]){5, 6};
    *v[input() & 1] += 10;
    CHECK(a + b == 13 && (*w)[1] == 6);
    END;
}
