#include "judged.h"
extern int abs(int);
extern long labs(long);
int main(void)
{
    CHECK(abs(-3) == 3 && abs(3) == 3 && labs(-4L) == 4 && abs(input() - 3) <= 3);
    END;
}
