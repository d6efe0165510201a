#include "judged.h"
extern int strcmp(const char *, const char *);
#ifdef MODIFIED
static char word[] = "on";
#else
static char word[] = "off";
#endif
int main(void) { CHECK(strcmp(word, "off") == 0); return 0; }
