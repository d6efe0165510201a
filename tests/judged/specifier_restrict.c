#include "judged.h"
static void copy(int *restrict to, const int *__restrict from, int n) { while (n-- > 0) *to++ = *from++; }
int main(void)
{
    int a[3] = {1, 2, 3}, b[3] = {0};
    copy(b, a, 2);
    CHECK(b[1] == 2 && b[2] == 0);
    END;
}
