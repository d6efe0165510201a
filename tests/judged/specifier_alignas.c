#include "judged.h"
struct s { char a; _Alignas(16) char b; };
_Alignas(64) static char line;
int main(void)
{
    CHECK(sizeof(struct s) == 32 && _Alignof(struct s) == 16 && ((unsigned long)&line & 63) == 0);
    CHECK(_Alignof(double) == 8 && __alignof__(line) == 64);
    END;
}
