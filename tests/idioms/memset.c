#include "idiom.h"
#include <string.h>
int main(void)
{
    char s[4], t[5];
    fill(s);
    size_t n = (unsigned char)s[0] % 5;
    t[4] = s[1];
    memset(t, s[2], n);
    CLAIM(n == 0 || t[n - 1] == s[2], n < 3 || t[2] != 'z');
    return 0;
}
