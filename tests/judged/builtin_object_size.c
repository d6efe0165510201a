#include "judged.h"
char buffer[10];
struct s { char a[4]; char b[6]; } s;
int main(void)
{
    CHECK(__builtin_object_size(buffer, 0) == 10);
    CHECK(__builtin_object_size(s.a, 1) == 4);
    CHECK(__builtin_object_size(&s, 0) == 10);
    END;
}
