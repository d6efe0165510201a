#include "judged.h"
int main(void)
{
    char *q = "a/*b*/c//d";
    int x = 8 //* not a division */ 2
        ;
    CHECK(x == 8 && q[1] == '/' && q[9] == 'd');
    END;
}
