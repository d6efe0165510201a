#include "heap.h"
struct node { int key; struct node *next; };
static struct node *remove_key(struct node *head, int key)
{
    struct node **link = &head;
    while (*link) {
        struct node *n = *link;
        if (n->key == key) {
            *link = n->next;
            free(n);
            ELSE_BROKEN(, break;)
        } else {
            link = &n->next;
        }
    }
    return head;
}
int main(void)
{
    struct node *head = 0;
    int count = input(4);
    for (int i = 0; i < count; i++) {
        struct node *n = malloc(sizeof *n);
        n->key = input(3);
        n->next = head;
        head = n;
    }
    head = remove_key(head, 1);
    for (struct node *p = head; p; p = p->next)
        CHECK(p->key != 1);
}
