#include "judged.h"
int main(void)
{
    int x = 0;
#ifdef MODIFIED
    void f(void) { x = 2; }
#else
    void f(void) { x = 1; }
#endif
    f();
    CHECK(x == 1);
    return 0;
}
