#include "judged.h"
static int real_one(void) { return 5; }
static int other_one(void) __attribute__((alias("real_one")));
int value = 4;
extern int same __attribute__((alias("value")));
int main(void)
{
    same = 9;
    CHECK(other_one() == 5);
    CHECK(value == 9);
    END;
}
