#include "judged.h"
typedef union { int *i; unsigned int *u; } either __attribute__((transparent_union));
static int read(either e) { return *e.i; }
int main(void)
{
    int x = 5;
    unsigned int y = 6;
    CHECK(read(&x) == 5 && read(&y) == 6);
    END;
}
