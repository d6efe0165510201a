#include "judged.h"
#ifdef MODIFIED
struct s { unsigned v : 2; };
#else
struct s { unsigned v : 3; };
#endif
int main(void) { struct s s = {input() + 4}; CHECK(s.v >= 4); return 0; }
