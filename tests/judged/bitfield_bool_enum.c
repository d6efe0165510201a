#include "judged.h"
enum e { A, B, C, D };
struct s { _Bool flag : 1; enum e kind : 2; };
int main(void)
{
    struct s s = {0};
    s.flag = 6;
    s.kind = D;
    CHECK(s.flag == 1 && s.kind == D && s.kind > 0);
    END;
}
