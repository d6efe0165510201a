#include "heap.h"
struct cell { int value; struct cell *below; };
static struct cell *top;
static void push(int value)
{
    struct cell *c = malloc(sizeof(struct cell));
    c->value = value;
    c->below = top;
    top = c;
}
static int pop(void)
{
    struct cell *c = top;
    int value = c->value;
    top = c->below;
    free(c);
    return value;
}
int main(void)
{
    int a = input(4), b = input(4);
    push(a);
    push(b);
    if (input(2)) {
        CHECK(pop() == b);
        push(a + b);
        CHECK(pop() == a + b);
    } else {
        CHECK(pop() == ELSE_BROKEN(b, a));
    }
    CHECK(pop() == a && !top);
}
