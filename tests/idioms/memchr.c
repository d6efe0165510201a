#include "idiom.h"
#include <string.h>
int main(void)
{
    char s[4];
    fill(s);
    char *at = memchr(s, 0, 4);
    CLAIM(at != NULL && *at == 0 && (size_t)(at - s) <= 3, at == s || at == s + 3);
    return 0;
}
