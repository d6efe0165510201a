#include "heap.h"
struct node { struct node *previous, *next; int value; };
struct list { struct node *first, *last; };
static void append(struct list *l, int value)
{
    struct node *n = malloc(sizeof(struct node));
    n->value = value;
    n->next = 0;
    n->previous = l->last;
    if (l->last)
        l->last->next = n;
    else
        l->first = n;
    l->last = n;
}
static void unlink_node(struct list *l, struct node *n)
{
    if (n->previous)
        n->previous->next = n->next;
    else
        l->first = n->next;
    if (n->next)
        n->next->previous = n->previous;
    else
        l->last = ELSE_BROKEN(n->previous, n);
    free(n);
}
int main(void)
{
    struct list l = {0, 0};
    int count = 1 + input(3), at = input(3);
    for (int i = 0; i < count; i++)
        append(&l, i);
    struct node *n = l.first;
    while (at-- > 0 && n->next)
        n = n->next;
    struct node *gone = n;
    unlink_node(&l, n);
    CHECK(l.last != gone);
    for (struct node *p = l.first; p; p = p->next)
        CHECK(p->next ? p->next->previous == p : l.last == p);
}
