#include "judged.h"
int main(void)
{
    int a[2][3] = {{1, 2, 3}, {4, 5, 6}}, b[3][2] = {{1, 0}, {0, 1}, {1, 1}}, c[2][2] = {{0}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 3; k++)
                c[i][j] += a[i][k] * b[k][j];
    CHECK(c[0][0] == 4 && c[0][1] == 5 && c[1][0] == 10 && c[1][1] == 11);
    END;
}
