#include "idiom.h"
#include <ctype.h>
#include <string.h>
static char *trim(char *s)
{
    char *end = s + strlen(s);
    while (end > s && isspace((unsigned char)end[-1]))
        *--end = 0;
    return s;
}
int main(void)
{
    char s[4];
    fill(s);
    size_t n = strlen(trim(s));
    CLAIM(n <= 3 && (n == 0 || s[n - 1] != ' '), n != 1 || s[0] != 'x');
    return 0;
}
