#include "idiom.h"
#include <stdlib.h>
int main(void)
{
    char s[4];
    fill(s);
    char *p = malloc(2);
    if (p == NULL)
        return 0;
    p[0] = s[0];
    p[1] = s[1];
    char *q = realloc(p, 4);
    if (q == NULL)
        return 0;
    q[2] = s[2];
    CLAIM(q[0] == s[0] && q[1] == s[1] && q[2] == s[2], q[1] != 'r' || q[2] != 'e');
    free(q);
    return 0;
}
