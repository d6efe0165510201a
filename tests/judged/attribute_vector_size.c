#include "judged.h"
typedef int four __attribute__((vector_size(16)));
int main(void)
{
    four a = {1, 2, 3, 4}, b = {10, 20, 30, 40};
    four c = a + b;
    CHECK(c[0] == 11 && c[3] == 44);
    END;
}
