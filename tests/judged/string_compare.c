#include "judged.h"
extern int strcmp(const char *, const char *);
extern int strncmp(const char *, const char *, unsigned long);
int main(void)
{
    char a[] = "abc", b[] = "abd";
    CHECK(strcmp(a, "abc") == 0 && strcmp(a, b) < 0 && strcmp(b, a) > 0 && strncmp(a, b, 2) == 0);
    CHECK(strcmp("\200", "a") > 0);
    END;
}
