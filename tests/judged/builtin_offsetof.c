#include "judged.h"
struct in { char c; int v[4]; };
struct s { char a; struct in in[3]; };
int main(void)
{
    CHECK(__builtin_offsetof(struct s, in[1].v[2]) == 4 + 20 + 4 + 8);
    END;
}
