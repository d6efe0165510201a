#include "heap.h"
struct tree { struct tree *child[2]; int depth; };
static struct tree *build(int depth)
{
    if (depth == 0)
        return 0;
    struct tree *t = malloc(sizeof(struct tree));
    t->depth = depth;
    t->child[0] = build(depth - 1);
    t->child[1] = ELSE_BROKEN(build(depth - 1), depth > 2 ? t->child[0] : build(depth - 1));
    return t;
}
static int nodes(struct tree *t)
{
    int found = 0;
    if (t && t->depth > 0) {
        t->depth = 0;
        found = 1 + nodes(t->child[0]) + nodes(t->child[1]);
    }
    return found;
}
int main(void)
{
    int depth = input(4);
    CHECK(nodes(build(depth)) == (1 << depth) - 1);
}
