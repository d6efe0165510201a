#include "judged.h"
int main(void)
{
    int y = 0;
    switch (input()) {
    case 1: y = 1;
#ifdef MODIFIED
            break;
#endif
    case 2: y++;
    }
    CHECK(y != 1 || 1);
    CHECK(y == 0 || y == 1 || y == 2);
    return 0;
}
