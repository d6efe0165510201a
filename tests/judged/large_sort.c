#include "judged.h"
static void sort(int *v, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && v[j - 1] > v[j]; j--) { int t = v[j]; v[j] = v[j - 1]; v[j - 1] = t; }
}
int main(void)
{
    int v[4] = {3, input(), 2, input()};
    sort(v, 4);
    CHECK(v[0] <= v[1] && v[1] <= v[2] && v[2] <= v[3] && v[3] == 3);
    END;
}
