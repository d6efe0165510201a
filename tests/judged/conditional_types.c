#include "judged.h"
int main(void)
{
    int x = input();
    short s = -1;
    unsigned u = 1;
    CHECK(sizeof(x ? s : 1L) == 8 && ((x ? s : u) > 0) && (x ? (void *)0 : &x) == (x ? 0 : &x));
    END;
}
