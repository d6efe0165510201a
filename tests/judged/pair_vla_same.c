#include "judged.h"
int main(void)
{
    int n = 3, s = 0;
#ifdef MODIFIED
    int a[n];
    for (int i = 0; i < n; i++) a[i] = i * i;
    for (int i = n - 1; i >= 0; i--) s += a[i];
#else
    for (int i = 0; i < n; i++) s += i * i;
#endif
    CHECK(s == 5);
    return 0;
}
