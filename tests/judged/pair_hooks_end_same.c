#include "judged.h"
extern int atexit(void (*)(void));
static int left = 2;
static void end(void) { left--; CHECK(left >= 0); }
int main(void)
{
#ifdef MODIFIED
    if (input() > 1) atexit(end);
    atexit(end);
#else
    atexit(end);
#endif
    return 0;
}
