#include "judged.h"
#ifdef MODIFIED
#pragma pack(1)
#else
#pragma pack(8)
#endif
struct s { char a; int b; };
int main(void) { CHECK(sizeof(struct s) == 8); return 0; }
