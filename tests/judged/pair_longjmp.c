#include "judged.h"
#include <setjmp.h>
static jmp_buf a, b;
#ifdef MODIFIED
#define TO b
#else
#define TO a
#endif
int main(void)
{
    if (setjmp(a)) return 0;
    if (setjmp(b)) { CHECK(0); }
    longjmp(TO, 1);
}
