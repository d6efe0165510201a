#include "judged.h"
static int weight(unsigned op)
{
    switch (op & 7) { case 0: case 2: case 4: return 1; case 1: case 3: return 2; case 5: { case 6: return 3; } }
    return 4;
}
int main(void)
{
    CHECK(weight(2) == 1 && weight(3) == 2 && weight(5) == 3 && weight(6) == 3 && weight(7) == 4);
    END;
}
