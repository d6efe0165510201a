#include "judged.h"
/* Constructors of ascending priority, those of one priority as they are defined. */
static int trace;
static void put(int digit) { trace = trace * 10 + digit; }
static void late(void) __attribute__((constructor));
__attribute__((constructor)) static void first(void) { put(4); }
__attribute__((constructor(200))) static void second(void) { put(2); }
static void late(void) { put(5); }
__attribute__((constructor(101))) void third(void) { put(1); }
__attribute__((__constructor__(100 + 100))) static int fourth(void) { put(3); return 7; }
__attribute__((constructor(65535))) static void last(void) { put(6); }
int main(void)
{
    CHECK(trace == 123456);
    END;
}
