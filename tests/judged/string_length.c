#include "judged.h"
extern unsigned long strlen(const char *);
int main(void)
{
    char b[6] = "ab";
    CHECK(strlen("abc") == 3 && strlen(b) == 2 && strlen("a\0b") == 1);
    b[2] = 'c';
    CHECK(strlen(b) == 3);
    END;
}
