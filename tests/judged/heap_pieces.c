#include "judged.h"
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t), *calloc(size_t, size_t);
void free(void *);
struct node { int value; struct node *next; };
static struct node *build(int depth)
{
    struct node *n = malloc(sizeof *n);
    n->value = depth;
    n->next = depth ? build(depth - 1) : 0;
    CHECK(n->value == depth);
    return n;
}
int main(void)
{
    int depth = input(), which = input(), count = 0;
    struct node *a = build(depth), *p;
    for (p = a; p; p = p->next)
        CHECK(p->value == depth - count++);
    CHECK(count == depth + 1);
    /* Freed and allocated again: another object, or the same memory with new contents. */
    int *x = malloc(sizeof *x), *y = malloc(sizeof *y);
    *x = 1;
    *y = 2;
    if (which)
        free(x);
    int *z = calloc(1, sizeof *z);
    CHECK(*z == 0 && *y == 2 && (which || *x == 1));
    *z = 7;
    CHECK(*y == 2 && (which || *x == 1) && z != y);
    END;
}
