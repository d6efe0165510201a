#include "heap.h"
static size_t length(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}
static char *duplicate(const char *s)
{
    size_t n = length(s);
    char *copy = malloc(n + 1);
    for (size_t i = 0; i <= n; i++)
        copy[i] = s[i];
    return copy;
}
int main(void)
{
    char text[4] = {0};
    int count = input(4);
    for (int i = 0; i < count; i++)
        text[i] = 'a' + input(3);
    char *one = duplicate(text), *other = duplicate(one);
    one[0] = 'z';
    CHECK(length(other) == (size_t)count);
    for (int i = 0; i < count; i++)
        CHECK(other[i] == ELSE_BROKEN(text, one)[i]);
}
