#include "judged.h"
struct s { int a, b; };
static struct s make(int x)
{
#ifdef MODIFIED
    return (struct s){x + 1, x};
#else
    return (struct s){x, x + 1};
#endif
}
int main(void) { int x = input(); CHECK(make(x).a == x); return 0; }
