#include "judged.h"
typedef unsigned long word;
/* What the alignment of an address decides, and where it leads within one object. */
static int object[4];
static _Alignas(16) char aligned;
int main(void)
{
    int x = input();
    word p = (word)&object[x];
    CHECK((p & 3) == 0 && ((word)&aligned & 15) == 0 && p % 4 == 0);
    word tagged = p | 1;
    CHECK((tagged & 1) == 1);
    *(int *)(tagged & ~3ul) = x;
    CHECK(object[x] == x && p - (word)object == 4 * x);
    CHECK(p >= (word)object && p < (word)(object + 4));
    END;
}
