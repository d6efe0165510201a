#include "judged.h"
int main(void)
{
    int x = 2147483644 + input();
#ifdef MODIFIED
    x += 1;
#endif
    CHECK(x > 0);
    return 0;
}
