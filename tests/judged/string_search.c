#include "judged.h"
extern char *strchr(const char *, int);
extern char *strrchr(const char *, int);
extern char *strstr(const char *, const char *);
extern void *memchr(const void *, int, unsigned long);
int main(void)
{
    char b[] = "hello";
    CHECK(strchr(b, 'l') == b + 2 && strrchr(b, 'l') == b + 3 && !strchr(b, 'q') && strchr(b, 0) == b + 5);
    CHECK(strstr(b, "lo") == b + 3 && memchr(b, 'o', 4) == 0);
    END;
}
