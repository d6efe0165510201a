#include "heap.h"
struct pair { int low, high; struct pair *next; };
int main(void)
{
    struct pair *head = 0, *p;
    while (__VERIFIER_nondet_int()) {
        int a = input(10), b = input(10);
        p = malloc(sizeof(struct pair));
        p->low = a < b ? a : b;
        p->high = a < b ? b : ELSE_BROKEN(a, b - 1);
        p->next = head;
        head = p;
    }
    for (p = head; p; p = p->next)
        CHECK(p->low <= p->high);
}
