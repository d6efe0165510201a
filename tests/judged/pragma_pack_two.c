#include "judged.h"
#pragma pack(2)
struct two { char a; int b; long c; };
#pragma pack()
struct eight { char a; long c; };
int main(void)
{
    CHECK(sizeof(struct two) == 14 && __alignof__(struct two) == 2 && sizeof(struct eight) == 16);
    END;
}
