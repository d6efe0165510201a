#include "judged.h"
/* `__atomic_test_and_set` and `__atomic_clear` are about one byte, whatever the pointer leads to. */
static struct { _Bool taken; char beside; } lock = { 0, 7 };
int main(void)
{
    int number = 0x100 * (input() + 1), before = number;
    long word = 0x1234;
    CHECK(!__atomic_test_and_set(&number, __ATOMIC_SEQ_CST));
    CHECK(number == before + 1);
    CHECK(__atomic_test_and_set(&number, __ATOMIC_ACQUIRE) == 1);
    __atomic_clear(&word, __ATOMIC_RELEASE);
    CHECK(word == 0x1200);
    __sync_lock_release(&word);
    CHECK(word == 0);
    CHECK(!__atomic_test_and_set(&lock.taken, __ATOMIC_SEQ_CST) && __atomic_test_and_set(&lock.taken, __ATOMIC_SEQ_CST));
    __atomic_clear(&lock.taken, __ATOMIC_SEQ_CST);
    CHECK(!lock.taken && lock.beside == 7);
    END;
}
