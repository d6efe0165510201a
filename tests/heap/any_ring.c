#include "heap.h"
struct ring { unsigned start, used, capacity; unsigned char *bytes; };
int main(void)
{
    struct ring *r = malloc(sizeof(struct ring));
    r->start = r->used = 0;
    r->capacity = 2;
    r->bytes = malloc(r->capacity);
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int() && r->used ELSE_BROKEN(<, <=) r->capacity) {
            unsigned at = (r->start + r->used) % r->capacity;
            r->bytes[at] = 1;
            r->used++;
        } else if (r->used > 0) {
            r->start = (r->start + 1) % r->capacity;
            r->used--;
        }
        CHECK(r->used <= 2 && r->start < 2);
    }
}
