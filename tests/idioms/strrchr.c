#include "idiom.h"
#include <string.h>
int main(void)
{
    char s[4];
    fill(s);
    char *at = strrchr(s, '/');
    CLAIM(at == NULL || (*at == '/' && at[1] != '/'), at == NULL || at[1] == 0);
    return 0;
}
