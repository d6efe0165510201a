#include "judged.h"
int main(void)
{
    char b[8];
    __builtin_memset(b, 'x', 8);
    __builtin_strcpy(b, "abc");
    CHECK(__builtin_strlen(b) == 3 && b[4] == 'x' && __builtin_strcmp(b, "abd") < 0);
    CHECK(__builtin_memcmp(b, "abcx", 3) == 0 && __builtin_strchr(b, 'c') == b + 2);
    END;
}
