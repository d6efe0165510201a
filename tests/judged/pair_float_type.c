#include "judged.h"
#ifdef MODIFIED
typedef float real;
#else
typedef double real;
#endif
int main(void) { real r = 0.1; CHECK(r == 0.1); return 0; }
