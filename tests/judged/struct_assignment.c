#include "judged.h"
struct in { int v[2]; };
struct s { struct in in; struct s *next; };
int main(void)
{
    struct s a = {{{1, 2}}, 0}, b = {{{3, 4}}, &a};
    struct s c = b;
    b.next->in.v[0] = 7;
    CHECK(c.next->in.v[0] == 7 && c.in.v[1] == 4);
    a = b;
    CHECK(a.in.v[0] == 3 && a.next == &a);
    END;
}
