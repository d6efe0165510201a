#include "idiom.h"
#include <stdlib.h>
struct node { struct node *next; char value; };
static struct node *push(struct node *next, char value)
{
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        exit(0);
    node->next = next;
    node->value = value;
    return node;
}
int main(void)
{
    char s[4];
    fill(s);
    struct node *list = push(push(NULL, s[0]), s[1]);
    int sum = 0;
    for (struct node *at = list; at != NULL; at = at->next)
        sum += at->value;
    CLAIM(sum == s[0] + s[1], sum != 77);
    return 0;
}
