#include "judged.h"
extern unsigned long strlen(const char *);
#ifdef MODIFIED
static const char *s = "ab\0c";
#else
static const char *s = "abcc";
#endif
int main(void) { CHECK(strlen(s) == 4); return 0; }
