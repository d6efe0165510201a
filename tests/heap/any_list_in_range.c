#include "heap.h"
struct node { struct node *next; int key; };
static struct node *head;
static void add(int key)
{
    struct node *n = malloc(sizeof(struct node));
    n->key = key;
    n->next = head;
    head = n;
}
int main(void)
{
    while (__VERIFIER_nondet_int()) {
        int key = __VERIFIER_nondet_int();
        if (key ELSE_BROKEN(>=, >) 0 && key < 100)
            add(key);
        ELSE_BROKEN(, else if (key == 0) add(100);)
    }
    for (struct node *p = head; p; p = p->next)
        CHECK(p->key >= 0 && p->key < 100);
}
