#include "idiom.h"
#include <string.h>
int main(void)
{
    char s[4], t[6] = "xxxxx";
    fill(s);
    strncpy(t, s, 5);
    CLAIM(t[3] == 0 && t[4] == 0 && t[0] == s[0], t[2] == s[2]);
    return 0;
}
