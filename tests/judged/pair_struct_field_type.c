#include "judged.h"
#ifdef MODIFIED
struct s { char a; int b; };
#else
struct s { int a; int b; };
#endif
int main(void) { struct s s = {input() + 126, 0}; CHECK(s.a > 0); return 0; }
