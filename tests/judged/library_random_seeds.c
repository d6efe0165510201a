#include "judged.h"
#include <stdlib.h>
int main(void)
{
    int first, again;
    srand(input());
    first = rand();
    srand(7);
    again = rand();
    srand(7);
    CHECK(again == rand());
    CHECK(first >= 0);
    END;
}
