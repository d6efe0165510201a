#include "idiom.h"
#include <stdlib.h>
#include <string.h>
int main(void)
{
    char s[4];
    fill(s);
    char *p = strdup(s);
    if (p == NULL)
        return 0;
    CLAIM(strcmp(p, s) == 0 && p != s, p[0] != 'd');
    free(p);
    return 0;
}
