#include "judged.h"
static int f(int c)
{
    switch (c) {
#ifdef MODIFIED
    case 1 ... 4: return 1;
#else
    case 1 ... 2: case 3: return 1;
#endif
    default: return 0;
    }
}
int main(void) { CHECK(f(input()) == 0 || f(4) == 0); return 0; }
