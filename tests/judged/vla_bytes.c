#include "judged.h"
struct pair { char c; int v; };
int main(void)
{
    int n = input() + 1;
    struct pair p[n];
    p[n - 1].v = 0x01020304;
    unsigned char *bytes = (unsigned char *)&p[n - 1].v;
    CHECK(bytes[0] == 4 && bytes[3] == 1 && sizeof p == n * 8u);
    bytes[1] = 9;
    CHECK(p[n - 1].v == 0x01020904);
    int i = 0, x[n];
    for (i = 0; i < n; i++)
        x[i] = i;
    int *end = &x[n], *q;
    int s = 0;
    for (q = x; q < end; q++)
        s += *q;
    CHECK(s == n * (n - 1) / 2 && end - x == n);
    END;
}
