#include "idiom.h"
#include <string.h>
int main(void)
{
    char s[4];
    fill(s);
    int order = strcmp(s, "ab");
    CLAIM((order == 0) == (s[0] == 'a' && s[1] == 'b' && s[2] == 0), order != 0);
    return 0;
}
