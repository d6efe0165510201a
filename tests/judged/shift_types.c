#include "judged.h"
int main(void)
{
    char c = 1;
    CHECK(sizeof(c << 1L) == 4 && (c << 10) == 1024 && sizeof(1L << c) == 8);
    END;
}
