#include "judged.h"
int main(int argc, char **argv)
{
    int used = argc > 0 || argv != 0;
    CHECK(used == used);
    END;
    return 0;
}
