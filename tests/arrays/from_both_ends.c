#include "arrays.h"
int main(void)
{
    int n = size();
    int a[n];
    int low = 0, high = n - 1;
    while (low ELSE_BROKEN(<=, <) high) {
        a[low] = 3;
        a[high] = 3;
        low++;
        high--;
    }
    for (int i = 0; i < n; i++)
        CHECK(a[i] == 3);
}
