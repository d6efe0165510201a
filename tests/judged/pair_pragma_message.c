#include "judged.h"
#pragma message("first/*.c")
int main(void)
{
    int x = 1;
#ifdef MODIFIED
    x = 2;
#endif
    CHECK(x == 1); /* looked at by nobody who takes the line above for a comment */
    return 0;
}
