#include "judged.h"
/* A bit-field whose type is aligned more strictly than its size begins a unit of that alignment, unless it is a whole integer
   where it stands; one that is aligned less strictly has the alignment of the integer that it is. */
typedef int strict __attribute__((aligned(8)));
typedef int stricter __attribute__((aligned(16)));
typedef short wide __attribute__((aligned(4)));
typedef int loose __attribute__((aligned(1)));
struct a { char x; strict y : 3; };
struct b { char x; wide y : 3; };
struct c { char x; stricter y : 30; stricter z : 4; };
struct d { loose y : 32; };
struct e { char x; loose y : 32; };
struct f { char x[4]; loose y : 32; };
struct g { int x; strict y : 32; };
struct h { char x; strict y : 3; } __attribute__((packed));
union u { loose y : 32; char x[5]; };
static int place(const void *object, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        if (((const unsigned char *)object)[i])
            return i;
    return -1;
}
int main(void)
{
    struct a a = {0};
    struct b b = {0};
    struct c c = {0};
    struct g g = {0};
    a.y = b.y = c.z = g.y = -1;
    CHECK(sizeof a == 16 && place(&a, sizeof a) == 8);
    CHECK(sizeof b == 8 && place(&b, sizeof b) == 4);
    CHECK(sizeof c == 48 && place(&c, sizeof c) == 32);
    CHECK(sizeof g == 8 && place(&g, sizeof g) == 4 && _Alignof(struct g) == 8);
    CHECK(sizeof(struct d) == 4 && _Alignof(struct d) == 4);
    CHECK(sizeof(struct e) == 5 && _Alignof(struct e) == 1);
    CHECK(sizeof(struct f) == 8 && _Alignof(struct f) == 4);
    CHECK(sizeof(struct h) == 2 && _Alignof(struct h) == 1);
    CHECK(sizeof(union u) == 8 && _Alignof(union u) == 4);
    END;
}
