#include "judged.h"
int main(void)
{
    int total = 0;
    void add(int x) { total += x; }
    add(3);
    add(4);
    CHECK(total == 7);
    END;
}
