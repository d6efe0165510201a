#include "judged.h"
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t), *realloc(void *, size_t);
int main(void)
{
    int first = input(), *p = 0, n = 0;
    for (int i = 0; i < 3; i++) {
        p = realloc(p, ++n * sizeof *p);
        p[n - 1] = first + i;
    }
    int *q = malloc(sizeof *q);
    *q = 50;
    p = realloc(p, 5 * sizeof *p);
    p[4] = 1;
    CHECK(p[0] == first && p[1] == first + 1 && p[2] == first + 2 && *q == 50);
    END;
}
