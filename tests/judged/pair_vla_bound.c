#include "judged.h"
#ifdef MODIFIED
#define N(x) ((x) + 2)
#else
#define N(x) ((x) + 1)
#endif
int main(void) { int n = input(); int a[N(n)]; CHECK(sizeof a / sizeof *a == n + 1); return 0; }
