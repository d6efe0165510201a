#include "judged.h"
static int parse(const char *s)
{
    int sign = 1, n = 0;
    while (*s == ' ') s++;
    if (*s == '-') { sign = -1; s++; }
    while (*s >= '0' && *s <= '9') n = n * 10 + (*s++ - '0');
    return sign * n;
}
int main(void)
{
    CHECK(parse("  42x") == 42 && parse("-7") == -7 && parse("") == 0);
    char b[3] = {'0' + input(), '5', 0};
    CHECK(parse(b) % 10 == 5 && parse(b) <= 35);
    END;
}
