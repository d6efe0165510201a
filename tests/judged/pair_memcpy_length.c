#include "judged.h"
extern void *memcpy(void *, const void *, unsigned long);
int main(void)
{
    int a[3] = {1, 2, 3}, b[3] = {0};
#ifdef MODIFIED
    memcpy(b, a, 8);
#else
    memcpy(b, a, sizeof a);
#endif
    CHECK(b[2] == 3);
    return 0;
}
