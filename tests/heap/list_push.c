#include "heap.h"
struct node { int value; struct node *next; };
static struct node *push(struct node *head, int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = head;
    return n;
}
int main(void)
{
    int count = input(4), sum = 0, seen = 0;
    struct node *head = 0;
    for (int i = 0; i < count; i++) {
        int value = input(3);
        head = push(head, value);
        sum += value;
    }
    for (struct node *p = head; p; p = p->next) {
        CHECK(p->value <= ELSE_BROKEN(2, 1));
        seen += p->value;
    }
    CHECK(seen == sum);
}
