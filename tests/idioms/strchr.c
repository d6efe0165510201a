#include "idiom.h"
#include <string.h>
int main(void)
{
    char s[4];
    fill(s);
    char *at = strchr(s, 'x');
    CLAIM(at == NULL || (*at == 'x' && at - s < 3), at == NULL || at == s);
    return 0;
}
