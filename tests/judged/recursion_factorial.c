#include "judged.h"
static unsigned fact(unsigned n) { return n < 2 ? 1 : n * fact(n - 1); }
int main(void)
{
    CHECK(fact(5) == 120 && fact(input()) <= 6);
    END;
}
