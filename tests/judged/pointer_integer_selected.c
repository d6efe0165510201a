#include "judged.h"
int main(void)
{
    int v[4] = {0}, i = input();
    unsigned long base = (unsigned long)v;
    *(int *)(base + 4 * i) = 1;
    CHECK(v[0] + v[1] + v[2] + v[3] == 1 && v[i] == 1);
    END;
}
