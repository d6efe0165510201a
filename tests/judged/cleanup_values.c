#include "judged.h"
struct pair { int a, b; };
static int count;
static void clear(int *p) { *p = 0; count++; }
static void wipe(struct pair *p) { p->a = p->b = -1; count += 10; }
static void drop(int (*p)[3]) { count += (*p)[1] * 100; }
static void store(int **p) { **p = 9; }
/* The value is computed before the object is changed. */
static int plain(int x) { int v __attribute__((cleanup(clear))) = x; return v + 1; }
static struct pair both(int x) { struct pair v __attribute__((cleanup(wipe))) = {x, x + 1}; return v; }
static int target;
static int through(void) { int *p __attribute__((cleanup(store))) = &target; target = 4; return *p; }
static int deep(int n) { int v __attribute__((cleanup(clear))) = n; if (n > 0) return deep(n - 1) + v; return v; }
int main(void)
{
    int x = input();
    CHECK(plain(x) == x + 1 && count == 1);
    struct pair p = both(x);
    CHECK(p.a == x && p.b == x + 1 && count == 11);
    int s = ({ int v __attribute__((cleanup(clear))) = x + 5; v; }) + 1;
    CHECK(s == x + 6 && count == 12);
    { int a[3] __attribute__((cleanup(drop))) = {1, 2, 3}; a[1]++; }
    CHECK(count == 312);
    CHECK(through() == 4 && target == 9);
    count = 0;
    CHECK(deep(3) == 6 && count == 4);
    END;
}
