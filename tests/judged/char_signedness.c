#include "judged.h"
int main(void)
{
    char c = 200;
    unsigned char u = c;
    CHECK(c < 0 && u == 200 && c != u && (c & 0xff) == u && '\xff' == -1);
    END;
}
