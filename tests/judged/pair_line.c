#include "judged.h"
#ifdef MODIFIED
#line 50
#else
#line 20
#endif
int main(void) { CHECK(__LINE__ < 50); return 0; }
