/* What holds for any keys and values; laid over every revision. */

#include <stddef.h>

#include "store.h"

extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static struct store store;

static void expect(int holds)
{
    if (!holds)
        reach_error();
}

int main(void)
{
    int key = __VERIFIER_nondet_int();
    int value = __VERIFIER_nondet_int();
    int found = 0;
    int i;

    store_init(&store);
    expect(!store_remove(&store, key, &found));
    for (i = 0; i < 6; i++)
        expect(store_put(&store, 5, i));
    expect(store_history(&store) <= RING_SIZE);
    expect(store_put(&store, key, value));
    expect(store_get(&store, key, &found) && found == value);
    expect(table_is_sound(&store.table));
    i = (int)store_history(&store);
    expect(store_undo(&store));
    expect((int)store_history(&store) == i - 1);
    expect(store_get(&store, key, &found) == (key == 5));
    store_clear(&store);
    expect(table_count(&store.table) == 0);
    return 0;
}
