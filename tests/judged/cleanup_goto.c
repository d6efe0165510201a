#include "judged.h"
static int trace;
static void put(int *p) { trace = trace * 10 + *p; }
static void jump(int way)
{
    int rounds = 0;
again:;
    int a __attribute__((cleanup(put))) = 1;
    if (rounds++ < 1)
        goto again;
    {
        int b __attribute__((cleanup(put))) = 2;
        {
            int c __attribute__((cleanup(put))) = 3;
            if (way == 0)
                goto inside;
            if (way == 1)
                goto outside;
            if (way == 2)
                goto done;
        inside:
            c = 4;
        }
        b = 5;
    outside:
        b++;
    }
    a = 8;
done:
    a++;
}
int main(void)
{
    trace = 0; jump(0); CHECK(trace == 1469);
    trace = 0; jump(1); CHECK(trace == 1339);
    trace = 0; jump(2); CHECK(trace == 1322);
    trace = 0; jump(3); CHECK(trace == 1469);
    END;
}
