#include "idiom.h"
#include <ctype.h>
int main(void)
{
    char s[4];
    fill(s);
    int words = 0;
    const char *p = s;
    while (*p) {
        while (*p && !isalnum((unsigned char)*p))
            p++;
        words += *p != 0;
        while (isalnum((unsigned char)*p))
            p++;
    }
    CLAIM(words <= 2, words != 2);
    return 0;
}
