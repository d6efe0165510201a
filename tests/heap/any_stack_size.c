#include "heap.h"
struct cell { struct cell *below; int height; };
int main(void)
{
    struct cell *top = 0;
    int height = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int() && height < 1000) {
            struct cell *c = malloc(sizeof *c);
            c->below = top;
            c->height = ++height;
            top = c;
        } else if (top) {
            struct cell *c = top;
            top = c->below;
            height = c->height - ELSE_BROKEN(1, 2);
            free(c);
        }
        CHECK(height >= 0);
    }
}
