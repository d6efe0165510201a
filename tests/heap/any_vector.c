#include "heap.h"
struct vector { int *items; unsigned count, capacity; };
static void push(struct vector *v, int item)
{
    if (v->count == v->capacity) {
        v->capacity += 16;
        v->items = realloc(v->items, v->capacity * sizeof(int));
    }
    ELSE_BROKEN(, if (v->count == 1) v->capacity = 1;)
    CHECK(v->count < v->capacity);
    v->items[v->count] = item;
    CHECK(v->items[v->count] == item);
    v->count++;
}
int main(void)
{
    struct vector *v = malloc(sizeof *v);
    v->items = 0;
    v->count = v->capacity = 0;
    while (v->count < 100000 && __VERIFIER_nondet_int())
        push(v, 7);
    free(v->items);
    free(v);
}
