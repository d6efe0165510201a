#include "heap.h"
struct slot { int used; int owner; int next; };
struct pool { struct slot *slots; int size, free_list; };
static struct pool *create(int size)
{
    struct pool *p = malloc(sizeof *p);
    p->slots = malloc(size * sizeof(struct slot));
    p->size = size;
    p->free_list = 0;
    for (int i = 0; i < size; i++) {
        p->slots[i].used = 0;
        p->slots[i].next = i + 1 < size ? i + 1 : -1;
    }
    return p;
}
static struct slot *take(struct pool *p, int owner)
{
    if (p->free_list < 0)
        return 0;
    struct slot *s = &p->slots[p->free_list];
    p->free_list = s->next;
    s->used = 1;
    s->owner = owner;
    return s;
}
static void give_back(struct pool *p, struct slot *s)
{
    s->used = 0;
    s->next = p->free_list;
    p->free_list = s - ELSE_BROKEN(p->slots, p->slots - 1);
}
int main(void)
{
    int size = 1 + input(3);
    struct pool *p = create(size);
    struct slot *a = take(p, 1), *b = take(p, 2);
    CHECK(a && (size > 1) == (b != 0) && a != b);
    if (b) {
        if (input(2))
            give_back(p, a);
        else
            give_back(p, b);
        struct slot *c = take(p, 3);
        CHECK(c && c->owner == 3);
        CHECK((c == a) != (c == b));
        CHECK(c == a ? b->owner == 2 : a->owner == 1);
    }
}
