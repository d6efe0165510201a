#include "heap.h"
struct message { unsigned short length; unsigned char kind; unsigned char bytes[]; };
static struct message *make(int kind, int length)
{
    struct message *m = malloc(sizeof(struct message) + length);
    m->kind = kind;
    m->length = length;
    for (int i = 0; i < length; i++)
        m->bytes[i] = kind + i;
    return m;
}
int main(void)
{
    int kind = input(4), length = 1 + input(3);
    struct message *m = make(kind, length), *other = make(ELSE_BROKEN(200, 254), length);
    unsigned sum = 0;
    for (int i = 0; i < m->length; i++)
        sum += m->bytes[i] + other->bytes[i];
    CHECK(m->kind == kind && m->bytes[length - 1] == kind + length - 1);
    CHECK(sum == (unsigned)(length * (200 + kind) + length * (length - 1)) ELSE_BROKEN(, - length * 200 + length * 254));
}
