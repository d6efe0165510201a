#include "idiom.h"
#include <string.h>
int main(void)
{
    char s[4];
    fill(s);
    size_t n = strspn(s, "01");
    CLAIM(n <= 3 && s[n] != '0' && s[n] != '1', n < 3);
    return 0;
}
