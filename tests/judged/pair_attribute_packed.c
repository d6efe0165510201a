#include "judged.h"
#ifdef MODIFIED
struct s { char a; int b; } __attribute__((packed));
#else
struct s { char a; int b; };
#endif
int main(void) { CHECK(sizeof(struct s) == 8); return 0; }
