#include "heap.h"
struct job { int id; int done; };
int main(void)
{
    int id = 0;
    while (__VERIFIER_nondet_int()) {
        struct job *j = malloc(sizeof *j);
        j->id = id;
        j->done = 0;
        if (__VERIFIER_nondet_int())
            j->done = 1;
        ELSE_BROKEN(, if (id == 2) j->id = 0;)
        CHECK(j->id == id && (j->done == 0 || j->done == 1));
        free(j);
        id = (id + 1) % 8;
    }
}
