#include "judged.h"
/* What an object leads to is followed through functions with bodies. */
struct holder { int *p; };
static struct holder kept;
static void keep(struct holder *h) { kept = *h; }
static void later(int v) { *kept.p = v; }
int main(void)
{
    int x = 0;
    struct holder h = {&x};
    keep(&h);
    later(input() + 1);
    CHECK(x >= 1 && x <= 4);
    END;
}
