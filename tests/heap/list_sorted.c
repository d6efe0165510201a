#include "heap.h"
struct node { int key; struct node *next; };
static void insert(struct node **place, int key)
{
    while (*place && (*place)->key ELSE_BROKEN(<, !=) key)
        place = &(*place)->next;
    struct node *n = malloc(sizeof(*n));
    n->key = key;
    n->next = *place;
    *place = n;
}
int main(void)
{
    struct node *head = 0;
    for (int i = input(4); i > 0; i--)
        insert(&head, input(4));
    for (struct node *p = head; p && p->next; p = p->next)
        CHECK(p->key <= p->next->key);
}
