#include "judged.h"
static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
static int (*choose(int which))(int) { return which ? two : one; }
int main(void)
{
    int w = input();
    CHECK(choose(w)(5) == (w ? 7 : 6) && (*choose(0))(1) == 2);
    END;
}
