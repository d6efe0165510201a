#include "judged.h"
typedef __SIZE_TYPE__ size_t;
void *memcpy(void *, const void *, size_t), *memset(void *, int, size_t), *memmove(void *, const void *, size_t);
struct record { char a; int b; short c; unsigned f : 3, g : 7; struct record *link; };
int main(void)
{
    struct record x, y;
    int k = input(), array[100], other[100], few[4] = {1, 2, 3, 4};
    memset(&x, 0, sizeof x);
    CHECK(x.a == 0 && x.b == 0 && x.c == 0 && x.f == 0 && x.g == 0 && x.link == 0);
    x.b = k;
    x.f = k;
    x.g = 9 * k;
    x.link = &y;
    memcpy(&y, &x, sizeof x);
    CHECK(y.b == k && y.f == (unsigned)k && y.g == (unsigned)(9 * k) && y.link == &y && y.link->link == &y);
    memset(&y.b, 0xff, sizeof y.b);
    CHECK(y.b == -1 && y.c == 0 && y.a == 0);
    struct record *copy = &x;
    for (unsigned i = 0; i < sizeof x; i++)
        ((char *)&y)[i] = ((char *)copy)[i];
    CHECK(y.b == k && y.link == &y && y.link->b == k);
    memset(array, 0, sizeof array);
    CHECK(array[20 * k] == 0);
    array[k] = 7;
    memcpy(other, array, 10 * sizeof(int));
    CHECK(other[k] == 7 && other[9] == 0);
    memset(array + 4, 1, 2 * sizeof(int));
    CHECK(array[4] == 0x01010101 && array[5] == 0x01010101 && array[6] == 0 && array[k] == 7);
    memmove(few + 1, few, 3 * sizeof(int));
    CHECK(few[0] == 1 && few[1] == 1 && few[2] == 2 && few[3] == 3);
    END;
}
