#include "judged.h"
#ifdef MODIFIED
struct s { _Alignas(8) char a; };
#else
struct s { _Alignas(1) char a; };
#endif
int main(void) { CHECK(sizeof(struct s) == 1); return 0; }
