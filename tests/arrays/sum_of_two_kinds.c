#include "arrays.h"
int main(void)
{
    int n = size();
    int a[n];
    long long sum = 0;
    for (int i = 0; i < n; i++)
        a[i] = i % 3 == 0 ? 5 : 1;
    for (int i = 0; i < n; i++)
        sum += a[i];
    CHECK(sum >= n && sum <= ELSE_BROKEN(5, 3) * (long long)n);
}
