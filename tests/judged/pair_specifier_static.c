#include "judged.h"
static int next(void)
{
#ifdef MODIFIED
    int n = 0;
#else
    static int n = 0;
#endif
    return ++n;
}
int main(void) { next(); CHECK(next() == 2); return 0; }
