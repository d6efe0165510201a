#include "judged.h"
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t);
struct three { int a, b, c; };
struct open { int n; struct { char tag; short value; } items[]; };
int main(void)
{
    int n = 1 + input(), k = input();
    struct three *small = malloc(2 * sizeof(int));
    small->a = n;
    small->b = k;
    struct open *o = malloc(sizeof *o + n * sizeof o->items[0]), *other = malloc(sizeof *o + n * sizeof o->items[0]);
    struct three *header = malloc(sizeof *header + n * sizeof(int));
    int *behind = (int *)(header + 1);
    header->c = 5;
    for (int i = 0; i < n; i++) {
        o->items[i].tag = i;
        o->items[i].value = -i;
        other->items[i].tag = 9;
        behind[i] = i;
    }
    if (k < n)
        CHECK(o->items[k].tag == -o->items[k].value && other->items[k].tag == 9 && behind[k] == k);
    CHECK(header->c == 5 && small->a == n && small->b == k);
    END;
}
