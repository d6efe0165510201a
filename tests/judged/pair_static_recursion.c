#include "judged.h"
static int walk(int n, int *up)
{
    static int shared_;
    int own = n;
#ifdef MODIFIED
    int *p = n == 1 ? &shared_ : &own;
#else
    int *p = &own;
#endif
    *p += 5;
    if (n > 0) walk(n - 1, p);
    return shared_;
}
int main(void) { int x = 0; CHECK(walk(2, &x) == 0); return 0; }
