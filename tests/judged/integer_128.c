#include "judged.h"
int main(void)
{
    unsigned __int128 a = (unsigned __int128)1 << 64;
    __int128 b = -1;
    CHECK((unsigned long)(a >> 64) == 1 && (unsigned long)a == 0 && b < 0 && sizeof a == 16);
    CHECK((a * 3) >> 65 == 1);
    END;
}
