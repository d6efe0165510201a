#include "judged.h"
struct s { int n; int v[]; };
static struct s fixed = {3, {1, 2, 3}};
int main(void)
{
    int sum = 0;
    for (int i = 0; i < fixed.n; i++)
        sum += fixed.v[i];
    CHECK(sum == 6 && sizeof(struct s) == 4);
    END;
}
