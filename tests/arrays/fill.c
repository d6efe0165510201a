#include "arrays.h"
int main(void)
{
    int n = size();
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = ELSE_BROKEN(7, i == 2 ? 8 : 7);
    for (int i = 0; i < n; i++)
        CHECK(a[i] == 7);
}
