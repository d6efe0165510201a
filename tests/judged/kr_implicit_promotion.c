#include "judged.h"
static int low(c, s) unsigned char c; short s; { return c + s; }
int main(void)
{
    CHECK(low(300, 65537) == 45);
    END;
}
