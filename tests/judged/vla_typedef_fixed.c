#include "judged.h"
int main(void)
{
    int n = 2;
    typedef char block[n];
    n = 5;
    block b;
    CHECK(sizeof b == 2 && sizeof(char[n]) == 5);
    END;
}
