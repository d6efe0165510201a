#include "judged.h"
struct parts { int x; short y, z; };
struct whole { int x; int yz; };
union either { int number; unsigned char byte[4]; };
struct tagged { char tag; union either either; };
int main(void)
{
    int in = input(), number = in + 0x01020300;
    unsigned char *p = (unsigned char *)&number;
    CHECK(p[3] == 1 && p[2] == 2 && p[1] == 3 && p[0] == in);
    p[1] = 9;
    CHECK(number == in + 0x01020900);
    struct parts parts = {1, 2, 3};
    parts.z = in;
    struct whole *w = (struct whole *)&parts;
    CHECK(w->x == 1 && (w->yz & 0xffff) == 2 && w->yz >> 16 == in);
    w->yz = 0x50004;
    CHECK(parts.x == 1 && parts.y == 4 && parts.z == 5);
    unsigned char bytes[40];
    for (int i = 0; i < 40; i++)
        bytes[i] = i;
    unsigned v = *(unsigned *)(bytes + in);
    CHECK((v & 255) == (unsigned)in && v >> 24 == (unsigned)in + 3);
    *(unsigned short *)(bytes + in + 1) = 0xabcd;
    CHECK(bytes[in] == in && bytes[in + 1] == 0xcd && bytes[in + 2] == 0xab && bytes[in + 3] == in + 3);
    struct tagged t;
    t.either.number = 0x01020304;
    p = (unsigned char *)&t;
    CHECK(p[4] == 4 && p[7] == 1);
    p[5] = in;
    CHECK(t.either.byte[1] == in && (t.either.number & 255) == 4);
    double one = 1.0;
    p = (unsigned char *)&one;
    CHECK(p[7] == 0x3f && p[6] == 0xf0 && p[0] == 0);
    END;
}
