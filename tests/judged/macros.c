#include "judged.h"
#define CAT(a, b) a##b
#define STR(x) #x
#define LATER(x) STR(x)
#define V 4
#define SUM(first, ...) (first + (0, ##__VA_ARGS__))
int main(void)
{
    int xy = 3;
    CHECK(CAT(x, y) == 3 && STR(V)[0] == 'V' && LATER(V)[0] == '4' && SUM(1, 2, 3) == 4 && SUM(5) == 5);
#if defined V && V > 3 && !defined(W)
    xy = 6;
#elif 1
    xy = 7;
#endif
    CHECK(xy == 6);
    END;
}
