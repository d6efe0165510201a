#include "idiom.h"
#include <ctype.h>
static char *find(char *s, char end)
{
    while (*s && *s != end && *s != ';')
        s++;
    return s;
}
int main(void)
{
    char s[4];
    fill(s);
    char *value = find(s, '=');
    if (*value == '=')
        *value++ = 0;
    for (char *p = s; p < value && *p; p++)
        CLAIM(*p != '=' && *p != ';', !isupper((unsigned char)*p));
    return 0;
}
