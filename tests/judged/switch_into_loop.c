#include "judged.h"
int main(void)
{
    int n = input() + 1, count = 0;
    switch (n & 1) {
    case 0: do { count++;
    case 1: count++; } while ((n -= 2) > 0);
    }
    CHECK(count >= 1 && count <= 4);
    END;
}
