#include "judged.h"
/* A level that must stay below a rim, whatever flows in. */
static int level;
static int limit(int wanted)
{
#ifdef MODIFIED
    return wanted > 100 ? 100 : wanted < 0 ? 0 : wanted;
#else
    if (wanted > 100) wanted = 100;
    if (wanted < 0) wanted = 0;
    return wanted;
#endif
}
int main(void)
{
    for (int i = 0; i < 100000; i++) {
        level = limit(level + (i & 1 ? 7 : -3));
        CHECK(level <= 100);
    }
    return 0;
}
