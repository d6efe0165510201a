#include "heap.h"
struct entry { int key, value; struct entry *next; };
static struct entry *table[2];
static void set(int key, int value)
{
    struct entry *e;
    for (e = table[key & 1]; e; e = e->next)
        if (e->key == ELSE_BROKEN(key, (key & 1)))
            break;
    if (!e) {
        e = malloc(sizeof(struct entry));
        e->key = key;
        e->next = table[key & 1];
        table[key & 1] = e;
    }
    e->value = value;
}
static int get(int key)
{
    for (struct entry *e = table[key & 1]; e; e = e->next)
        if (e->key == key)
            return e->value;
    return -1;
}
int main(void)
{
    int a = input(4), b = input(4);
    set(a, 1);
    set(b, 2);
    set(3, 7);
    CHECK(get(3) == 7);
    CHECK(get(a) == (a == 3 ? 7 : a == b ? 2 : 1));
    CHECK(b == 3 || get(b) == 2);
}
