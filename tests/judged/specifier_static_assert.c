#include "judged.h"
_Static_assert(sizeof(int) == 4, "int");
int main(void)
{
    _Static_assert(1, "here");
    END;
}
