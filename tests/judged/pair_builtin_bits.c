#include "judged.h"
#ifdef MODIFIED
#define F __builtin_ctz
#else
#define F __builtin_clz
#endif
int main(void) { CHECK(F(1u << 4) == 27); return 0; }
