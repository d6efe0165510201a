#include "judged.h"
extern int atexit(void (*)(void));
static int trace;
static void put(int digit) { trace = trace * 10 + digit; }
static void a(void) { put(1); }
static void b(void) { put(2); }
static void registers(void) { put(3); atexit(a); }
__attribute__((destructor(150))) static void last(void)
{
    put(6);
    CHECK(trace == 23112456);
    END;
}
__attribute__((destructor)) static void first(void) { put(5); }
__attribute__((destructor)) static void before(void) { put(4); }
__attribute__((constructor)) static void start(void) { atexit(b); }
int main(void)
{
    atexit(a);
    atexit(registers);
    atexit(b);
    trace = 0;
    return 1;
}
