#include "judged.h"
static int f(int n, int acc)
{
#ifdef MODIFIED
    return n <= 0 ? acc : f(n - 1, acc + n + (n == 3));
#else
    return n <= 0 ? acc : f(n - 1, acc + n);
#endif
}
int main(void) { int n = input(); CHECK(f(n, 0) == n * (n + 1) / 2); return 0; }
