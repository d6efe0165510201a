#include "judged.h"
struct s { int a[2]; int b; };
static struct s make(int x) { return (struct s){{x, x + 1}, x + 2}; }
int main(void)
{
    CHECK(make(3).a[1] == 4 && make(4).b == 6 && (1 ? make(1) : make(2)).a[0] == 1);
    END;
}
