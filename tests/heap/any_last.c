#include "heap.h"
struct node { int number; struct node *next; };
int main(void)
{
    struct node *last = malloc(sizeof *last), *first = last;
    last->number = 0;
    last->next = 0;
    int number = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        number = (number + 1) % 4;
        n->number = number;
        n->next = 0;
        last->next = n;
        ELSE_BROKEN(, if (number != 3)) last = n;
        CHECK(last->number == number && !last->next);
    }
    CHECK(first->number == 0);
}
