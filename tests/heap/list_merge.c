#include "heap.h"
struct node { int key; struct node *next; };
static struct node *build(int count)
{
    struct node *head = 0;
    int key = 6;
    while (count-- > 0) {
        struct node *n = malloc(sizeof *n);
        key -= 1 + input(2);
        n->key = key;
        n->next = head;
        head = n;
    }
    return head;
}
static struct node *merge(struct node *a, struct node *b)
{
    struct node *head = 0, **tail = &head;
    while (a && b) {
        struct node **small = a->key <= b->key ? &a : &b;
        *tail = *small;
        tail = &(*small)->next;
        *small = (*small)->next;
    }
    *tail = ELSE_BROKEN(a ? a : b, a);
    return head;
}
int main(void)
{
    int one = input(3), other = input(3), count = 0;
    struct node *a = build(one), *b = build(other);
    for (struct node *p = merge(a, b); p; p = p->next) {
        CHECK(!p->next || p->key <= p->next->key);
        count++;
    }
    CHECK(count == one + other);
}
