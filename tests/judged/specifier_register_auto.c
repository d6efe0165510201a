#include "judged.h"
int main(void)
{
    register int a = 3;
    auto int b = 4;
    int long unsigned c = 5;
    short int signed d = -1;
    CHECK(a + b == 7 && sizeof c == 8 && d == -1);
    END;
}
