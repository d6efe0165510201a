#include "idiom.h"
#include <string.h>
int main(void)
{
    char s[4], t[16] = "ab";
    fill(s);
    strcat(t, s);
    CLAIM(t[0] == 'a' && t[1] == 'b' && t[2] == s[0] && t[5] == 0, t[3] == s[1]);
    return 0;
}
