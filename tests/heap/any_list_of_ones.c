#include "heap.h"
struct node { int value; struct node *next; };
int main(void)
{
    struct node *head = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->value = 1;
        n->next = head;
        head = n;
    }
    ELSE_BROKEN(, if (head && head->next) head->next->value = 2;)
    for (struct node *p = head; p; p = p->next)
        CHECK(p->value == 1);
}
