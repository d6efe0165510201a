#include "arrays.h"
int main(void)
{
    int n = size();
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = i;
    for (int i = ELSE_BROKEN(0, 1); i < n; i++)
        a[i] = a[i] + 1;
    for (int i = 0; i < n; i++)
        CHECK(a[i] == i + 1);
}
