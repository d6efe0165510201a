#include "idiom.h"
#include <stdlib.h>
int main(void)
{
    char s[4];
    fill(s);
    char *p = malloc(4);
    if (p == NULL)
        return 0;
    for (int i = 0; i < 4; i++)
        p[i] = s[i];
    CLAIM(p[0] == s[0] && p[2] == s[2] && p[3] == 0, p[1] != 'm');
    free(p);
    return 0;
}
