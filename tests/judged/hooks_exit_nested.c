#include "judged.h"
extern int atexit(void (*)(void));
extern void exit(int);
static int trace, depth;
static void end(void)
{
    CHECK(trace == 321 && depth == 3);
    END;
}
/* A function that ends the program anew: the others still run. */
static void again(void) { trace += 20; exit(0); }
static void one(void) { trace += 1; }
static void more(void) { trace += 300; }
static int dive(int n)
{
    static int count;
    depth = ++count;
    if (n == 0)
        exit(0);
    return dive(n - 1) + 1;
}
int main(void)
{
    atexit(end);
    atexit(one);
    atexit(again);
    atexit(more);
    return dive(2);
}
