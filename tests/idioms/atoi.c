#include "idiom.h"
#include <stdlib.h>
int main(void)
{
    char s[4];
    fill(s);
    int n = atoi(s);
    CLAIM(n >= -99 && n <= 999, n != -27);
    return 0;
}
