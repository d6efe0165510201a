#include "judged.h"
extern inline __attribute__((gnu_inline)) int twice(int x) { return 2 * x; }
static inline int thrice(int x) { return 3 * x; }
inline static int four(int x) { return 4 * x; }
int twice(int x) { return 20 * x; }
int main(void)
{
    CHECK(twice(2) == 40 && thrice(2) == 6 && four(2) == 8);
    END;
}
