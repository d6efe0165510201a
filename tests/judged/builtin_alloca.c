#include "judged.h"
int main(void)
{
    int n = input() + 1;
    int *p = __builtin_alloca(n * sizeof(int));
    p[n - 1] = 5;
    CHECK(p[n - 1] == 5);
    END;
}
