#include "judged.h"
int main(void)
{
    int total = 0;
    for (int i = 0; i < 3; i++)
        total += ({ __label__ out; int r = i; if (i == 1) goto out; r += 10; out: r; });
    CHECK(total == 23);
    END;
}
