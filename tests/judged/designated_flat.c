#include "judged.h"
int main(void)
{
    int a[2][2] = {[1] = 5};
    int b[2][2] = {1, 2, 3};
    int c[] = {[3] = 1};
    CHECK(a[1][0] == 5 && a[0][0] == 0 && b[1][0] == 3 && b[1][1] == 0 && sizeof c == 16);
    END;
}
