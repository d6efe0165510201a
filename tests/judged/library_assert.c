#include "judged.h"
#include <assert.h>
int main(void)
{
    int x = input();
    assert(x >= 0 && x < 4);
    CHECK(x != 4);
    END;
}
