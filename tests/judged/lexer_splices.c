#include "judged.h"
int main(void)
{
    int a\
b = 3; // a comment that goes on \
    ab = 4;
    const char *s = "one" /* two */ "three\
four";
    CHECK(ab == 3 && s[3] == 't' && s[8] == 'f' && sizeof("a" "b") == 3);
    END;
}
