#include "judged.h"
struct s { int a, b; };
#ifdef MODIFIED
static struct s v = {.b = 1, .a = 2};
#else
static struct s v = {.a = 1, .b = 2};
#endif
int main(void) { CHECK(v.b == 2); return 0; }
