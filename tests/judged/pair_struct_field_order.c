#include "judged.h"
#ifdef MODIFIED
struct s { int b, a; };
#else
struct s { int a, b; };
#endif
int main(void) { struct s s = {1, 2}; CHECK(*(int *)&s == 1 && s.a == 1); return 0; }
