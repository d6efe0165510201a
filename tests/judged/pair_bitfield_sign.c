#include "judged.h"
#ifdef MODIFIED
struct s { int v : 2; };
#else
struct s { unsigned v : 2; };
#endif
int main(void) { struct s s; s.v = input(); CHECK(s.v < 4 && s.v > -1); return 0; }
