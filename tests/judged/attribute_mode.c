#include "judged.h"
typedef int byte __attribute__((mode(QI)));
typedef unsigned int half __attribute__((__mode__(__HI__)));
typedef int word __attribute__((mode(DI)));
int main(void)
{
    byte b = 200;
    half h = 65537;
    CHECK(sizeof(byte) == 1 && sizeof(half) == 2 && sizeof(word) == 8);
    CHECK(b == -56 && h == 1);
    END;
}
