#include "idiom.h"
#include <string.h>
int main(void)
{
    char s[4], t[8];
    fill(s);
    t[3] = 'x';
    strcpy(t, s);
    CLAIM(t[0] == s[0] && (s[0] == 0 || t[1] == s[1]), t[3] == 'x');
    return 0;
}
