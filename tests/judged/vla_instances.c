#include "judged.h"
/* Every passing of the declaration has an array of its own. */
static int recursive(int n, int *outer)
{
    int a[n + 1];
    a[n] = n;
    if (n > 0 && recursive(n - 1, a + n) != n - 1)
        return -1;
    if (outer)
        *outer += 0;
    return a[n] == n && sizeof a == (n + 1) * sizeof(int) ? n : -1;
}
int main(void)
{
    int total = 0;
    for (int i = 1; i <= 3; i++) {
        short b[i];
        b[i - 1] = i;
        total += (int)sizeof b + b[i - 1];
    }
    CHECK(total == 18 && recursive(3, 0) == 3);
    int k = 0;
    int e[++k + 1], f[++k];
    CHECK(k == 2 && sizeof e == 8 && sizeof f == 8);
    typedef char row[k];
    k = 7;
    row t, tt[2];
    tt[1][1] = 5;
    t[0] = tt[1][1];
    CHECK(sizeof t == 2 && sizeof tt == 4 && t[0] == 5 && &tt[1][0] - &tt[0][0] == 2);
    END;
}
