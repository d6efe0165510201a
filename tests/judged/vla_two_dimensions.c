#include "judged.h"
static int sum(int n, int m, int a[n][m])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            s += a[i][j] * (i + 1);
    return s + (int)sizeof a[0];
}
int main(void)
{
    int n = 2, m = 3;
    int a[n][m];
    n = 9;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = i * 10 + j;
    int (*p)[m] = a;
    p++;
    CHECK(p - a == 1 && (char *)p - (char *)a == 12 && p[0][2] == 12 && (*p)[1] == 11);
    CHECK(sizeof a == 24 && sizeof *p == 12 && sizeof p == sizeof(void *));
    CHECK(sum(2, 3, a) == 3 + 66 + 12);
    m = 1;
    CHECK(sizeof a == 24 && a[1][0] == 10 && p[-1][2] == 2);
    int c[n][2];
    c[8][1] = 8;
    int (*r)[2] = &c[7];
    CHECK(r[1][1] == 8 && sizeof c == 72 && sizeof c[0] == 8);
    END;
}
