#include "heap.h"
struct vector { int *items; int count, capacity; };
static void push(struct vector *v, int item)
{
    if (v->count == v->capacity) {
        v->capacity = v->capacity ? 2 * v->capacity : 1;
        v->items = realloc(v->items, v->capacity * sizeof(int));
    }
    v->items[v->count++] = item;
}
int main(void)
{
    struct vector v = {0, 0, 0};
    int count = input(4) + 1, first = input(4);
    for (int i = 0; i < count; i++)
        push(&v, first + i);
    for (int i = 0; i < count; i++)
        CHECK(v.items[i] == first + ELSE_BROKEN(i, (i == 3 ? 2 : i)));
    CHECK(v.count <= v.capacity);
    free(v.items);
}
