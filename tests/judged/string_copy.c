#include "judged.h"
extern char *strcpy(char *, const char *);
extern char *strncpy(char *, const char *, unsigned long);
extern char *strcat(char *, const char *);
int main(void)
{
    char b[8] = "zzzzzzz";
    CHECK(strcpy(b, "ab") == b && b[2] == 0 && b[3] == 'z');
    strcat(b, "c");
    CHECK(b[2] == 'c' && b[3] == 0);
    strncpy(b, "q", 3);
    CHECK(b[0] == 'q' && b[1] == 0 && b[2] == 0 && b[3] == 0);
    END;
}
