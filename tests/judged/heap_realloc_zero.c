#include "judged.h"
typedef __SIZE_TYPE__ size_t;
void *calloc(size_t, size_t), *realloc(void *, size_t);
int main(void)
{
    int *zeros = calloc(2 + input(), sizeof *zeros);
    zeros = realloc(zeros, 6 * sizeof *zeros);
    CHECK(zeros[0] == 0 && zeros[1] == 0);
    END;
}
