#include "judged.h"
static int value = 1, seen;
static int take(void) { seen = value; return value; }
__attribute__((destructor)) static void end(void)
{
    CHECK(seen == 5 && value == 5);
    END;
}
int main(void)
{
    value = input();
    if (value > 3)
        return 1;
    value = 5;
    return take();
}
