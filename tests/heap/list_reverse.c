#include "heap.h"
struct node { struct node *next; int value; };
int main(void)
{
    int count = input(4);
    struct node *head = 0, *reversed = 0;
    for (int i = 0; i < count; i++) {
        struct node *n = (struct node *)malloc(sizeof(struct node));
        n->next = head;
        n->value = i;
        head = n;
    }
    while (head) {
        struct node *next = head->next;
        head->next = reversed;
        reversed = head;
        head = ELSE_BROKEN(next, next ? next->next : next);
    }
    int expected = 0;
    for (; reversed; reversed = reversed->next)
        CHECK(reversed->value == expected++);
    CHECK(expected == count);
}
