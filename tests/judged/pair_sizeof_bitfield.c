#include "judged.h"
#ifdef MODIFIED
struct s { unsigned b : 12; } s;
#else
struct s { unsigned b : 7; } s;
#endif
int main(void) { CHECK(sizeof(s.b = 1) == 1); return 0; }
