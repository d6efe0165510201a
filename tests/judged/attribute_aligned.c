#include "judged.h"
struct s { char a; char b __attribute__((aligned(8))); };
typedef int wide __attribute__((aligned(16)));
char buffer[3] __attribute__((aligned(32)));
int main(void)
{
    CHECK(sizeof(struct s) == 16 && __alignof__(struct s) == 8);
    CHECK(__alignof__(wide) == 16 && sizeof(wide) == 4);
    CHECK(((unsigned long)buffer & 31) == 0);
    END;
}
