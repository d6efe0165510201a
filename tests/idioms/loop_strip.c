#include "idiom.h"
#include <ctype.h>
#include <string.h>
int main(void)
{
    char s[4];
    fill(s);
    char *first = s, *last = s + strlen(s);
    while (isspace((unsigned char)*first))
        first++;
    while (last > first && isspace((unsigned char)last[-1]))
        last--;
    CLAIM(first <= last && (first == last || last[-1] != '\n'), last - first != 1 || first == s);
    return 0;
}
