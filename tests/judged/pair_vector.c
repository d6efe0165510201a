#include "judged.h"
typedef int four __attribute__((vector_size(16)));
int main(void)
{
#ifdef MODIFIED
    four v = {1, 2, 3, 5};
#else
    four v = {1, 2, 3, 4};
#endif
    CHECK(v[3] == 4);
    return 0;
}
