#include "judged.h"
struct node { int before; struct link { struct link *next; } link; int value; };
#define OWNER(l) ((struct node *)((char *)(l) - __builtin_offsetof(struct node, link)))
int main(void)
{
    struct node b = {0, {0}, 5}, a = {0, {&b.link}, 4};
    CHECK(OWNER(&a.link)->value == 4 && OWNER(a.link.next)->value == 5);
    END;
}
