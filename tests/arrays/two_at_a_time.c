#include "arrays.h"
int main(void)
{
    int n = size();
    int a[2 * n];
    for (int i = 0; i < n; i++) {
        a[2 * i] = 0;
        a[2 * i + 1] = ELSE_BROKEN(1, -1);
    }
    for (int i = 0; i < 2 * n; i++)
        CHECK(a[i] >= 0);
}
