#include "judged.h"
#include <stdlib.h>
static int up(const void *a, const void *b) { return *(int *)a - *(int *)b; }
static int down(const void *a, const void *b) { return *(int *)b - *(int *)a; }
#ifdef MODIFIED
#define ORDER down
#else
#define ORDER up
#endif
int main(void) { int v[3] = {2, 1, 3}; qsort(v, 3, sizeof *v, ORDER); CHECK(v[0] == 1); return 0; }
