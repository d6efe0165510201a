#include "judged.h"
#ifdef MODIFIED
enum e { A, X, B };
#else
enum e { A, B, X };
#endif
int main(void) { CHECK(B == 1); return 0; }
