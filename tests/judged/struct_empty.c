#include "judged.h"
struct none {};
struct s { int a; struct none n; int b; };
int main(void)
{
    struct s s = {1, {}, 2};
    CHECK(sizeof(struct none) == 0 && sizeof s == 8 && s.b == 2);
    END;
}
