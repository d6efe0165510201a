#include "heap.h"
struct item { int value; struct item *next; };
struct queue { struct item *head, *tail; int length; };
static void put(struct queue *q, int value)
{
    struct item *i = malloc(sizeof(struct item));
    i->value = value;
    i->next = 0;
    if (q->tail)
        q->tail->next = i;
    else
        q->head = i;
    q->tail = i;
    q->length++;
}
static int take(struct queue *q)
{
    struct item *i = q->head;
    int value = i->value;
    q->head = i->next;
    ELSE_BROKEN(if (!q->head) q->tail = 0;, )
    free(i);
    q->length--;
    return value;
}
int main(void)
{
    struct queue *q = malloc(sizeof(struct queue));
    q->head = q->tail = 0;
    q->length = 0;
    int next = 0, expected = 0;
    for (int step = 0; step < 4; step++) {
        if (input(2))
            put(q, next++);
        else if (q->length > 0)
            CHECK(take(q) == expected++);
        CHECK((q->tail == 0) == (q->length == 0));
    }
    CHECK(q->length == next - expected);
}
