#include "idiom.h"
#include <string.h>
int main(void)
{
    char s[4];
    fill(s);
    char *at = strstr(s, "ab");
    CLAIM(at == NULL || (at[0] == 'a' && at[1] == 'b' && at - s <= 1), at == NULL || at == s);
    return 0;
}
