// property: valid-deref
// file: main.c
#include "ring.h"
extern int __VERIFIER_nondet_int(void);
int main(void) {
  struct ring ring = { { 0 }, 0 };
  for (int i = 0; i < 5; i++)
    ring_add(&ring, __VERIFIER_nondet_int());
  return ring.items[0] == 0;
}
// file: ring.c
#include "ring.h"
void ring_add(struct ring *ring, int item) {
  ring->items[ring->next] = item;
  ring->next = ring->next + 1; // defect
  ring->next = (ring->next + 1) % SIZE; // repaired
}
// file: ring.h
#define SIZE 4
struct ring { int items[SIZE]; int next; };
void ring_add(struct ring *ring, int item);
