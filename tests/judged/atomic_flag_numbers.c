#include "judged.h"
/* Of another number than 0 and 1, x86 gives back that number. */
int main(void)
{
    unsigned char flag = input();
    int old = flag, result = __atomic_test_and_set(&flag, __ATOMIC_SEQ_CST);
    CHECK(flag == 1 && result == old);
    END;
}
