#include "judged.h"
struct s { int n; int v[0]; };
int main(void)
{
    int room[4] = {1, 2, 3, 4};
    struct s *p = (struct s *)room;
    CHECK(sizeof(struct s) == 4 && p->v[1] == 3);
    END;
}
