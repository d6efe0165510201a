#include "judged.h"
typedef short eight __attribute__((vector_size(16)));
int main(void)
{
    eight a = {1, 2, 3, 4, 5, 6, 7, 8};
    eight b = a > 4;
    a[2] = 30;
    CHECK(b[0] == 0 && b[7] == -1 && a[2] == 30 && (a << 1)[1] == 4);
    END;
}
