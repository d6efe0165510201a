#include "heap.h"
struct ring { int capacity, start, used; int *slots; };
static int put(struct ring *r, int value)
{
    if (r->used == r->capacity)
        return 0;
    r->slots[(r->start + r->used) % r->capacity] = value;
    r->used++;
    return 1;
}
static int get(struct ring *r)
{
    int value = r->slots[r->start];
    r->start = (r->start + 1) % ELSE_BROKEN(r->capacity, (r->capacity > 2 ? 2 : r->capacity));
    r->used--;
    return value;
}
int main(void)
{
    struct ring *r = calloc(1, sizeof(struct ring));
    r->capacity = 1 + input(3);
    r->slots = malloc(r->capacity * sizeof(int));
    int next = 0, expected = 0;
    for (int i = 0; i < 6; i++)
        if ((i & 1) == 0 || (i == 1 && input(2)))
            next += put(r, next);
        else if (r->used > 0)
            CHECK(get(r) == expected++);
    CHECK(r->used == next - expected);
    while (r->used > 0)
        CHECK(get(r) == expected++);
}
