#include "judged.h"
int main(void)
{
    int x = 1, y = 1;
    unsigned long n = (unsigned long)&x > 0 ? (unsigned long)&x : (unsigned long)&y;
#ifdef MODIFIED
    *(int *)n = 5;
#endif
    CHECK(x == 1);
    return 0;
}
