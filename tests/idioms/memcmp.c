#include "idiom.h"
#include <string.h>
int main(void)
{
    char s[4];
    fill(s);
    int order = memcmp(s, "\x80z", 2);
    CLAIM(order >= 0 || (unsigned char)s[0] <= 0x80, order != 0);
    return 0;
}
