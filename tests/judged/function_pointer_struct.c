#include "judged.h"
struct ops { int (*get)(void *); void *self; };
static int first(void *p) { return *(int *)p; }
static int second(void *p) { return ((int *)p)[1]; }
static int call(const struct ops *o) { return o->get(o->self); }
int main(void)
{
    int v[2] = {3, 4};
    struct ops a = {first, v}, b = {.self = v, .get = second};
    CHECK(call(&a) == 3 && call(&b) == 4);
    b = a;
    CHECK(call(&b) == 3 && a.get == first && *first == first);
    END;
}
