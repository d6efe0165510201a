#include "judged.h"
#ifdef MODIFIED
struct s { char a; } __attribute__((aligned(16)));
#else
struct s { char a; } __attribute__((aligned(8)));
#endif
int main(void) { CHECK(sizeof(struct s) < 16); return 0; }
