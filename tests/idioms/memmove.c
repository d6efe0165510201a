#include "idiom.h"
#include <string.h>
int main(void)
{
    char s[4];
    fill(s);
    char first = s[0], second = s[1];
    memmove(s + 1, s, 2);
    CLAIM(s[0] == first && s[1] == first && s[2] == second, s[2] == first);
    return 0;
}
