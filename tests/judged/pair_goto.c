#include "judged.h"
int main(void)
{
    int x = input();
    if (x == 2) goto two;
    x = 0;
#ifdef MODIFIED
    goto end;
#endif
two:
    x++;
end:
    CHECK(x == 1 || x == 3);
    return 0;
}
