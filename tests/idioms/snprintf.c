#include "idiom.h"
#include <stdio.h>
int main(void)
{
    char s[4], t[8];
    fill(s);
    int value = (unsigned char)s[0];
    int n = snprintf(t, sizeof t, "%d:%c", value, 'x');
    CLAIM(n >= 3 && n <= 5 && t[n] == 0 && t[n - 1] == 'x', t[1] != '7');
    return 0;
}
