#include "judged.h"
static int value = 5;
int main(void)
{
    CHECK(__sync_fetch_and_add(&value, 2) == 5 && value == 7);
    CHECK(__sync_bool_compare_and_swap(&value, 7, 1) && value == 1);
    CHECK(__atomic_exchange_n(&value, 9, __ATOMIC_SEQ_CST) == 1 && __atomic_load_n(&value, 0) == 9);
    END;
}
