#include "judged.h"
extern void *memcpy(void *, const void *, unsigned long);
struct s { char c; int i; int *p; };
int main(void)
{
    int x = 4;
    struct s a = {1, 2, &x}, b = {0};
    memcpy(&b, &a, sizeof a);
    *b.p = 9;
    CHECK(b.c == 1 && b.i == 2 && x == 9);
    END;
}
