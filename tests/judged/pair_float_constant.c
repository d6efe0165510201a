#include "judged.h"
#ifdef MODIFIED
#define TENTH 0.1f
#else
#define TENTH 0.1
#endif
int main(void) { int n = input(); double d = 0; for (int i = 0; i < n; i++) d += TENTH; CHECK(d < 0.30000001); return 0; }
