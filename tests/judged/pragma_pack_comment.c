#include "judged.h"
#pragma pack(push, 1) // headers/*.h
struct tight { char a; int b; };
#pragma pack(pop) /* pushed above */
#pragma message("tables/*.csv")
#pragma GCC diagnostic ignored "-Wall"
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += (int)sizeof(struct tight);
    CHECK(sum == 15); /* not behind a comment */
    END;
}
