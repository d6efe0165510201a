#include "judged.h"
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
int main(void)
{
    int *p = malloc(8), *q = calloc(2, 4);
    if (!p || !q) return 0;
    p[1] = 5;
    p = realloc(p, 16);
    if (!p) return 0;
    CHECK(p[1] == 5 && q[1] == 0 && p != q);
    free(p);
    free(q);
    END;
}
