#include "heap.h"
struct tree { int key; struct tree *left, *right; };
static struct tree *insert(struct tree *t, int key)
{
    struct tree **at = &t;
    while (*at)
        at = key < (*at)->key ? &(*at)->left : ELSE_BROKEN(&(*at)->right, (*at)->right ? &(*at)->right : &(*at)->left);
    *at = malloc(sizeof(struct tree));
    (*at)->key = key;
    (*at)->left = (*at)->right = 0;
    return t;
}
static int last;
static void walk(struct tree *t)
{
    if (!t)
        return;
    walk(t->left);
    CHECK(last <= t->key);
    last = t->key;
    walk(t->right);
}
int main(void)
{
    struct tree *root = 0;
    for (int i = input(4); i > 0; i--)
        root = insert(root, input(4));
    walk(root);
}
