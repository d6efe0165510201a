#include "judged.h"
static int a;
static int a;
extern int b;
int b = 4;
int c[];
int c[3];
int main(void)
{
    extern int b;
    CHECK(a == 0 && b == 4 && c[2] == 0);
    END;
}
