#include "heap.h"
struct account { int balance; int limit; };
static struct account *open_account(int limit)
{
    struct account *a = malloc(sizeof(struct account));
    a->balance = 0;
    a->limit = limit;
    return a;
}
int main(void)
{
    struct account *a = open_account(10);
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            if (a->balance < a->limit)
                a->balance++;
        } else if (a->balance ELSE_BROKEN(>, >=) 0) {
            a->balance--;
        }
        CHECK(a->balance >= 0 && a->balance <= 10);
    }
    free(a);
}
