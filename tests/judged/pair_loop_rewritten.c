#include "judged.h"
int main(void)
{
    int n = input(), s = 0;
#ifdef MODIFIED
    while (n > 0) s += --n;
#else
    for (int i = 0; i < n; i++) s += i;
#endif
    CHECK(s <= 3);
    return 0;
}
