#include "arrays.h"
extern void *malloc(unsigned long size);
int main(void)
{
    int n = size();
    unsigned char *a = malloc(n);
    if (!a)
        return 0;
    for (int i = n - 1; i >= ELSE_BROKEN(0, 1); i--)
        a[i] = 0x20;
    ELSE_BROKEN(, a[0] = 0;)
    for (int i = 0; i < n; i++)
        CHECK(a[i] == ' ');
}
