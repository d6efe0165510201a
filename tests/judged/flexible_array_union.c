#include "judged.h"
struct s { char n; short v[]; };
static union { struct s s; char room[10]; } u = {.room = {2, 0, 5, 0, 6}};
int main(void)
{
    CHECK(u.s.v[0] == 5 && u.s.v[1] == 6 && sizeof(struct s) == 2);
    u.s.v[3] = 9;
    CHECK(u.room[8] == 9);
    END;
}
