#include "judged.h"
int main(void)
{
    int x = input();
#ifdef MODIFIED
    int y = ({ int x = 5; x++; x; });
#else
    int y = ({ int x = 5; x; });
#endif
    CHECK(y + x < 9);
    return 0;
}
