#include "idiom.h"
#include <stdlib.h>
int main(void)
{
    char s[4], *end;
    fill(s);
    unsigned long n = strtoul(s, &end, 10);
    CLAIM(end - s <= 3 && (n <= 999 || s[0] == '-' || s[1] == '-'), n != 417);
    return 0;
}
