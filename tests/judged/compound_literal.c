#include "judged.h"
struct s { int a, b; };
static int sum(const struct s *p) { return p->a + p->b; }
static int *global = (int[]){7, 8};
int main(void)
{
    int n = input();
    CHECK(sum(&(struct s){n, 2}) == n + 2 && (struct s){.b = 4}.b == 4 && global[1] == 8);
    int *p = (int[3]){1};
    p[2] = 5;
    CHECK(p[0] + p[1] + p[2] == 6);
    END;
}
