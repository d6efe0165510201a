#include "judged.h"
static int n;
static void one(int *p) { n += *p; }
static void two(int *p) { n += 2 * *p; }
#ifdef MODIFIED
#define DONE two
#else
#define DONE one
#endif
int main(void) { { int x __attribute__((cleanup(DONE))) = 3; } CHECK(n == 3); return 0; }
