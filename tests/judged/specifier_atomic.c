#include "judged.h"
static _Atomic int count = 1;
int main(void)
{
    count += 2;
    count++;
    CHECK(count == 4);
    END;
}
