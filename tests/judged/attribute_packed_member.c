#include "judged.h"
struct s { char a; int b __attribute__((packed)); char c; };
int main(void)
{
    CHECK(sizeof(struct s) == 6 && __builtin_offsetof(struct s, c) == 5);
    END;
}
