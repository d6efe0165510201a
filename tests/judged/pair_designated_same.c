#include "judged.h"
struct s { int a, b; };
#ifdef MODIFIED
static struct s v = {.b = 2, .a = 1};
#else
static struct s v = {.a = 1, .b = 2};
#endif
int main(void) { CHECK(v.b == 2 && v.a == 1); return 0; }
