#include "judged.h"
int main(void)
{
    int n = input() + 1, sum = 0;
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = i;
    for (int i = 0; i < n; i++)
        sum += a[i];
    CHECK(sum == n * (n - 1) / 2 && sizeof a == n * sizeof(int));
    END;
}
