#include "judged.h"
enum e { A = 1, B };
int main(void)
{
    int s = B;
    enum e { B = 10, C };
    CHECK(s == 2 && B == 10 && C == 11 && A == 1);
    { int A = 4; CHECK(A == 4); }
    END;
}
