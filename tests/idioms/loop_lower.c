#include "idiom.h"
#include <ctype.h>
int main(void)
{
    char s[4];
    fill(s);
    for (char *p = s; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    CLAIM(s[0] != 'A' && (!s[0] || s[1] != 'Q'), !s[0] || !s[1] || s[2] != 'z');
    return 0;
}
