#include "arrays.h"
#include <stdlib.h>
int main(void)
{
    int n = size();
    int *a = malloc(sizeof(int) * n);
    long long sum = 0;
    if (!a)
        return 0;
    for (int i = 0; i < n; i++)
        a[i] = 2;
    for (int i = 0; i < n; i++)
        sum += a[i];
    CHECK(sum ELSE_BROKEN(<=, <) 2 * (long long)n);
}
