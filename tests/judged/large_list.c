#include "judged.h"
struct node { int value; struct node *next; };
static struct node nodes[3];
int main(void)
{
    struct node *first = 0;
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        nodes[i].value = i + 1;
        nodes[i].next = first;
        first = &nodes[i];
    }
    for (struct node *n = first; n; n = n->next) sum = sum * 10 + n->value;
    CHECK(sum == 321);
    END;
}
