#include "judged.h"
extern int atexit(void (*)(void));
extern void _exit(int);
static int way;
static void end(void) { CHECK(way == 1); END; }
__attribute__((destructor)) static void after(void) { CHECK(way == 1); }
int main(void)
{
    way = input();
    atexit(end);
    if (way == 2)
        abort();
    if (way == 3)
        _exit(0);
    way = 1;
    return 0;
}
