#include "judged.h"
static int level;
static int limit(int wanted)
{
#ifdef MODIFIED
    if (wanted > 103) wanted = 100;
#else
    if (wanted > 100) wanted = 100;
#endif
    return wanted < 0 ? 0 : wanted;
}
int main(void)
{
    int more = input();
    for (int i = 0; i < 200; i++) {
        level = limit(level + more);
        CHECK(level <= 100);
    }
    return 0;
}
