#include "judged.h"
static int trace;
static void put(int *p) { trace = trace * 10 + *p; }
static int ways(int way)
{
    int a __attribute__((cleanup(put))) = 1;
    for (int i __attribute__((cleanup(put))) = 0; i < 2; i++) {
        int b __attribute__((cleanup(put))) = 2, c __attribute__((cleanup(put))) = 3;
        if (way == 0)
            continue;
        if (way == 1)
            break;
        if (way == 2)
            return trace;
        a = 4;
    }
    switch (way) {
    case 3: {
        int d __attribute__((cleanup(put))) = 5;
        d = 6;
        break;
    }
    default:
        a = 7;
    }
    return a;
}
int main(void)
{
    trace = 0;
    CHECK(ways(0) == 7 && trace == 323227);
    trace = 0;
    CHECK(ways(1) == 7 && trace == 3207);
    trace = 0;
    CHECK(ways(2) == 0 && trace == 3201);
    trace = 0;
    CHECK(ways(3) == 4 && trace == 3232264);
    END;
}
