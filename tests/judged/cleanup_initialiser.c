#include "judged.h"
static int trace;
static void put(int *p) { trace = trace * 10 + *p; }
/* What leaves the scope from within the initialiser calls nothing for the object itself. */
static int early(int x)
{
    int a __attribute__((cleanup(put))) = 1;
    int b __attribute__((cleanup(put))) = ({ if (x) return 7; 2; });
    return 8;
}
static void leave(int x)
{
    int a __attribute__((cleanup(put))) = 5;
    if (x)
        abort();
}
int main(void)
{
    CHECK(early(1) == 7 && trace == 1);
    trace = 0;
    CHECK(early(0) == 8 && trace == 21);
    trace = 0;
    leave(input() > 1);
    CHECK(trace == 5);
    END;
}
