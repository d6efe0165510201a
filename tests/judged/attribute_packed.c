#include "judged.h"
struct __attribute__((packed)) s { char a; int b; short c; };
struct t { char a; int b; } __attribute__((packed));
int main(void)
{
    struct s v = {1, 0x01020304, 5};
    unsigned char *bytes = (unsigned char *)&v;
    CHECK(sizeof(struct s) == 7 && sizeof(struct t) == 5);
    CHECK(bytes[1] == 4 && bytes[4] == 1 && bytes[5] == 5);
    END;
}
