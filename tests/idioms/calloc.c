#include "idiom.h"
#include <stdlib.h>
int main(void)
{
    char s[4];
    fill(s);
    int *p = calloc(4, sizeof *p);
    if (p == NULL)
        return 0;
    p[(unsigned char)s[0] % 4] = s[1];
    CLAIM(p[0] + p[1] + p[2] + p[3] == s[1], p[2] == 0);
    free(p);
    return 0;
}
