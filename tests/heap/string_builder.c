#include "heap.h"
struct builder { char *text; unsigned length, room; };
static void add(struct builder *b, char c)
{
    if (b->length + ELSE_BROKEN(1, 0) >= b->room) {
        char *bigger = malloc(b->room + 2);
        for (unsigned i = 0; i < b->length; i++)
            bigger[i] = b->text[i];
        free(b->text);
        b->text = bigger;
        b->room += 2;
    }
    CHECK(b->length + 1 < b->room);
    b->text[b->length++] = c;
    b->text[b->length] = 0;
}
int main(void)
{
    struct builder b = {0, 0, 0};
    int count = 1 + input(3);
    for (int i = 0; i < count; i++)
        add(&b, 'a' + i);
    int length = 0;
    while (b.text[length]) {
        CHECK(b.text[length] == 'a' + length);
        length++;
    }
    CHECK(length == count);
    free(b.text);
}
