#include "judged.h"
typedef unsigned long word;
/* Which of two objects lies first is nobody's business. */
static int a[2], b[2];
int main(void)
{
    int x = input() & 1;
#ifdef MODIFIED
    int first = (word)&a[x] < (word)&b[x];
#else
    int first = (word)&b[x] > (word)&a[x];
#endif
    int *p = first ? a : b, *q = first ? b : a;
    *p = 1;
    *q = 2;
    CHECK(*p != *q && a[0] + b[0] == 3);
    return 0;
}
