#include "judged.h"
#ifdef MODIFIED
#define ORDER "big-endian"
#else
#define ORDER "little-endian"
#endif
struct __attribute__((scalar_storage_order(ORDER))) s { short a, b; };
int main(void) { struct s v; v.a = input(); CHECK(*(unsigned char *)&v < 1 || ((unsigned char *)&v)[1] == 0); CHECK(((unsigned char *)&v)[1] == 0); return 0; }
