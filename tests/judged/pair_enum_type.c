#include "judged.h"
#ifdef MODIFIED
enum e { A, B = -1 };
#else
enum e { A, B = 1 };
#endif
int main(void) { enum e x = (enum e)-5; CHECK(x > 0); return 0; }
