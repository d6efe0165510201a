#include "judged.h"
static __thread int mine = 3;
_Thread_local int yours;
int main(void)
{
    mine += 2;
    CHECK(mine == 5 && yours == 0);
    END;
}
