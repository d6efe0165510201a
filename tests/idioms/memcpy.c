#include "idiom.h"
#include <string.h>
int main(void)
{
    char s[4], t[4];
    fill(s);
    memcpy(t, s, 4);
    CLAIM(t[0] == s[0] && t[1] == s[1] && t[2] == s[2] && t[3] == 0, t[1] != 'q');
    return 0;
}
