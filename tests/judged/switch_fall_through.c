#include "judged.h"
int main(void)
{
    int x = input(), y = 0;
    switch (x) {
    default: y += 100;
    case 0: y += 1;
    case 1: y += 10; break;
    case 2: y = 7;
    }
    CHECK(x == 0 ? y == 11 : x == 1 ? y == 10 : x == 2 ? y == 7 : y == 111);
    END;
}
