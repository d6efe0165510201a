#include "judged.h"
static int open;
static void shut(int *p) { open -= *p; }
int main(void)
{
#ifdef MODIFIED
    for (int i = 0; i < 2; i++) {
        int h __attribute__((cleanup(shut))) = 1;
        open += h;
        if (input() == i)
            break;
    }
#else
    for (int i = 0; i < 2; i++) {
        int h = 1;
        open += h;
        int stop = input() == i;
        open -= h;
        if (stop)
            break;
    }
#endif
    CHECK(open == 0);
    return 0;
}
