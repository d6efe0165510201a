#include "judged.h"
static int v;
static void add(int *p) { v += *p; }
static void twice(int *p) { v *= *p; }
int main(void)
{
    v = input();
    {
#ifdef MODIFIED
        int b __attribute__((cleanup(twice))) = 2;
        int a __attribute__((cleanup(add))) = 3;
#else
        int a __attribute__((cleanup(add))) = 3;
        int b __attribute__((cleanup(twice))) = 2;
#endif
    }
    CHECK(v <= 9);
    return 0;
}
