#include "judged.h"
struct s { volatile unsigned flag : 1; int v; };
int main(void)
{
    struct s s = {1, 2};
    s.flag = 0;
    CHECK(!s.flag && s.v == 2);
    END;
}
