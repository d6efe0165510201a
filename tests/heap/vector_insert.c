#include "heap.h"
struct vector { size_t count; size_t capacity; short *items; };
static struct vector *create(size_t capacity)
{
    struct vector *v = malloc(sizeof(*v));
    v->count = 0;
    v->capacity = capacity;
    v->items = malloc(capacity * sizeof(v->items[0]));
    return v;
}
static void insert(struct vector *v, size_t at, short item)
{
    for (size_t i = v->count; i > at; i--)
        v->items[i] = v->items[i - 1];
    v->items[at] = item;
    v->count++;
}
int main(void)
{
    struct vector *v = create(4);
    for (int i = 0; i < 3; i++)
        insert(v, v->count, 10 * i);
    size_t at = input(4);
    insert(v, at, 5);
    CHECK(v->items[at] == 5);
    CHECK(at == 0 || v->items[0] == 0);
    CHECK(at == ELSE_BROKEN(3, 2) || v->items[3] == 20);
    free(v->items);
    free(v);
}
