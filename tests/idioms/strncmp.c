#include "idiom.h"
#include <string.h>
int main(void)
{
    char s[4];
    fill(s);
    int order = strncmp(s, "abc", 2);
    CLAIM((order == 0) == (s[0] == 'a' && s[1] == 'b'), order != 0 || s[2] == 'c');
    return 0;
}
