#include "judged.h"
enum { SIZE = 4 };
static int slots[SIZE], head, tail, used;
static void put(int v) { if (used < SIZE) { slots[tail] = v; tail = (tail + 1) % SIZE; used++; } }
static int get(void)
{
    if (used == 0) return -1;
    int v = slots[head];
    head = (head + 1) % SIZE;
    used--;
    return v;
}
int main(void)
{
    int n = input();
    for (int i = 0; i < n; i++) put(i);
    for (int i = 0; i < n; i++) CHECK(get() == i);
    for (int i = 0; i < 9; i++) put(i);
    CHECK(used == SIZE && get() == 0 && get() == 1);
    put(7);
    CHECK(get() == 2 && get() == 3 && get() == 7 && get() == -1);
    END;
}
