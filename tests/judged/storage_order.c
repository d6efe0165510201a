#include "judged.h"
#define BIG __attribute__((scalar_storage_order("big-endian")))
struct BIG wire { unsigned short length; int value; signed char sign; short list[3]; unsigned long long wide; };
struct __attribute__((scalar_storage_order("little-endian"))) host { int value; };
struct inner { int plain; };
struct BIG outer { struct inner inner; int swapped; };
static struct wire zeroed;
static int take(struct wire w) { return w.value + w.list[1]; }
int main(void)
{
    int x = input();
    struct wire w = {1, -2, -3, {4, 5, 6}, 7};
    unsigned char *bytes = (unsigned char *)&w;
    CHECK(bytes[0] == 0 && bytes[1] == 1 && bytes[4] == 0xff && bytes[7] == 0xfe && bytes[8] == 0xfd);
    CHECK(w.length == 1 && w.value == -2 && w.sign == -3 && w.list[2] == 6 && w.wide == 7);
    w.value += x;
    w.list[x % 3]++;
    w.length--;
    struct wire *p = &w, copy;
    copy = *p;
    p->value = 0x01020304;
    CHECK(bytes[4] == 1 && bytes[7] == 4 && copy.value == x - 2 && w.length == 0);
    CHECK(take(copy) == x - 2 + 5 + (x % 3 == 1));
    struct host h = {1};
    CHECK(*(char *)&h == 1 && zeroed.value == 0);
    struct outer o;
    o.inner.plain = 1;
    o.swapped = 1;
    CHECK(((char *)&o)[0] == 1 && ((char *)&o)[4] == 0 && ((char *)&o)[7] == 1);
    END;
}
