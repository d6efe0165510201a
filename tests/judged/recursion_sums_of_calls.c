#include "judged.h"
/* Only what each call yields shows that no sum of two wraps. */
static int fibonacci(int n) { return n < 1 ? 0 : n == 1 ? 1 : fibonacci(n - 1) + fibonacci(n - 2); }
int main(void)
{
    int n = 9 * input() + 8;
    CHECK(fibonacci(n) >= n - 1);
    END;
}
