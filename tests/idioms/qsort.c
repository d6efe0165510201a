#include "idiom.h"
#include <stdlib.h>
static int order(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}
int main(void)
{
    char s[4];
    fill(s);
    qsort(s, 3, 1, order);
    CLAIM(s[0] <= s[1] && s[1] <= s[2], s[0] != s[1] || s[1] != 'b');
    return 0;
}
