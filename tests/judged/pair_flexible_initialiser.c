#include "judged.h"
#ifdef MODIFIED
static struct { int n; int v[]; } t = {2, {1, 5}};
#else
static struct { int n; int v[]; } t = {2, {1, 4}};
#endif
int main(void)
{
    int s = 0;
    for (int i = 0; i < t.n; i++) s += t.v[i];
    CHECK(s == 5);
    return 0;
}
