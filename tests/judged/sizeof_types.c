#include "judged.h"
int main(void)
{
    int a[3][4];
    CHECK(sizeof a == 48 && sizeof a[0] == 16 && sizeof(a + 0) == 8 && sizeof &a == 8 && sizeof(int (*)[3]) == 8);
    CHECK(sizeof(long double) == 16 && sizeof(_Bool) == 1 && sizeof main == 1);
    END;
}
