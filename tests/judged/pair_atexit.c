#include "judged.h"
extern int atexit(void (*)(void));
static int n;
static void good(void) { n = 1; }
static void bad(void) { reach_error(); }
int main(void)
{
#ifdef MODIFIED
    atexit(bad);
#else
    atexit(good);
#endif
    return n;
}
