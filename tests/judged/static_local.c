#include "judged.h"
static int next(void) { static int n = 3; return n++; }
static int *place(void) { static int n; return &n; }
int main(void)
{
    next();
    CHECK(next() == 4);
    *place() = 8;
    CHECK(*place() == 8);
    END;
}
