#include "idiom.h"
#include <ctype.h>
int main(void)
{
    char s[4];
    fill(s);
    int n = 0;
    const char *p = s;
    for (; isdigit((unsigned char)*p); p++)
        n = n * 10 + (*p - '0');
    CLAIM(n >= 0 && n <= 999, n != 407);
    return 0;
}
