#include "judged.h"
static char a[] = "abc", b[2] = "xy", c[5] = {"q"};
static char *names[] = {"one", "two", 0};
int main(void)
{
    CHECK(sizeof a == 4 && b[1] == 'y' && c[1] == 0 && c[4] == 0 && names[1][2] == 'o' && !names[2]);
    END;
}
