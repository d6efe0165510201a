#include "judged.h"
int main(void)
{
    int v[2] = {1, 1};
    unsigned long n[2] = {(unsigned long)&v[0], (unsigned long)&v[1]};
#ifdef MODIFIED
    *(int *)n[input() & 1] = 5;
#endif
    CHECK(v[0] == 1 || v[1] == 5);
    return 0;
}
