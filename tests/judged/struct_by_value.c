#include "judged.h"
struct s { int a; char b[3]; };
static struct s change(struct s s) { s.a++; s.b[1] = 'q'; return s; }
int main(void)
{
    struct s x = {1, "ab"}, y = change(x);
    CHECK(x.a == 1 && x.b[1] == 'b' && y.a == 2 && y.b[1] == 'q' && change(y).a == 3 && change(x).b[0] == 'a');
    END;
}
