#include "judged.h"
extern void *memcpy(void *, const void *, unsigned long);
extern void *memmove(void *, const void *, unsigned long);
extern void *memset(void *, int, unsigned long);
extern int memcmp(const void *, const void *, unsigned long);
int main(void)
{
    int a[4] = {1, 2, 3, 4}, b[4];
    CHECK(memcpy(b, a, sizeof a) == b && b[3] == 4);
    memmove(a + 1, a, 12);
    CHECK(a[0] == 1 && a[1] == 1 && a[3] == 3);
    memset(b, 0xff, 6);
    CHECK(b[0] == -1 && b[1] == 0xffff && b[2] == 3 && memcmp(a, b, 4) < 0);
    END;
}
