#include "judged.h"
static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
int main(void)
{
    CHECK(ack(2, 2) == 7);
    END;
}
