#include "judged.h"
static int kind(int c)
{
    switch (c) {
    case '0' ... '9': return 1;
    case 'a' ... 'f':
    case 'A' ... 'F': return 2;
    case -5 ... -1: return 3;
    default: return 0;
    }
}
int main(void)
{
    CHECK(kind('0') == 1 && kind('9') == 1 && kind('c') == 2 && kind('F') == 2 && kind('g') == 0 && kind(-5) == 3);
    END;
}
