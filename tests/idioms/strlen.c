#include "idiom.h"
#include <string.h>
int main(void)
{
    char s[4];
    fill(s);
    size_t n = strlen(s);
    CLAIM(n <= 3 && s[n] == 0, n != 2);
    return 0;
}
