#include "judged.h"
static int n;
#ifdef MODIFIED
static int f(int k, int a[k][n += 1 ? n + 2 : 1]) { return n; }
#else
static int f(int k, int a[k][2]) { return n; }
#endif
int main(void) { int a[2][2] = {{0}}; CHECK(f(2, a) == 0); return 0; }
