#include "idiom.h"
#include <ctype.h>
static char *skip(const char *s)
{
    while (*s && isspace((unsigned char)*s))
        s++;
    return (char *)s;
}
int main(void)
{
    char s[4];
    fill(s);
    char *p = skip(s);
    CLAIM(*p != ' ' && *p != '\t' && p - s <= 3, p - s != 3);
    return 0;
}
