#include "judged.h"
static int statistics, balance;
static void record(int v)
{
#ifdef MODIFIED
    statistics += v * v;
#else
    statistics += v;
#endif
}
int main(void)
{
    for (int i = 0; i < 50000; i++) {
        int v = i % 7;
        record(v);
        balance += v;
        balance -= v;
    }
    CHECK(balance == 0);
    return 0;
}
