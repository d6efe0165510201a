#include "judged.h"
int main(void)
{
    int n = 0;
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) {
            if (j == i) break;
            if ((i + j) & 1) continue;
            n++;
        }
        if (i == 3) break;
    }
    CHECK(n == 2);
    END;
}
