#include "arrays.h"
int main(void)
{
    int n = size();
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = 2 * i + 1;
    for (int i = 0; i < n; i++)
        CHECK(a[i] == 2 * i ELSE_BROKEN(+ 1, + (i < 1)));
}
