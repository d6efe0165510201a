#include "judged.h"
#pragma pack(push, 1)
struct tight { char a; int b; };
#pragma pack(pop)
struct loose { char a; int b; };
int main(void)
{
    CHECK(sizeof(struct tight) == 5 && sizeof(struct loose) == 8);
    END;
}
